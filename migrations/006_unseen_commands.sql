-- What an agent ran without its hook having been asked: found later, by another layer.
CREATE TABLE unseen_commands (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id),
  agent      TEXT    NOT NULL,
  session    TEXT    NOT NULL,
  moment     TEXT    NOT NULL, -- the event that was missed
  found_by   TEXT    NOT NULL, -- `git`, `transcript`, `after-tool`
  command    TEXT    NOT NULL, -- redacted; empty: a whole session
  at         INTEGER NOT NULL, -- when it ran
  UNIQUE (agent, session, moment, command, at)
) STRICT;

-- Since when hooks leave the traces that this is compared with.
CREATE TABLE traces_begin (at INTEGER NOT NULL) STRICT;
INSERT INTO traces_begin VALUES (unixepoch() * 1000);
