-- Events of hooks that were answered: one that is answered a second time has the same answer, and its effects once.
CREATE TABLE hook_events (
  id     TEXT    PRIMARY KEY,
  at     INTEGER NOT NULL,
  answer TEXT    NOT NULL -- JSON: what the hook writes, and its exit code
) STRICT, WITHOUT ROWID;
CREATE INDEX hook_events_by_time ON hook_events (at);

-- What sessions do is written here at once.
DROP TABLE spool_parts;
