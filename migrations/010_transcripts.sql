-- Who tells of it. NULL: a hook; `transcript`: read from what the agent itself records.
ALTER TABLE observations ADD COLUMN source TEXT;

-- What has been read of the transcripts of agents. The row outlives what was forgotten of it.
CREATE TABLE transcript_files (
  agent    TEXT    NOT NULL,
  file     TEXT    NOT NULL,
  session  TEXT    NOT NULL, -- that of the parent for a sub-agent; empty: not known yet
  folder   TEXT    NOT NULL,
  is_sub   INTEGER NOT NULL CHECK (is_sub IN (0, 1)),
  began    INTEGER NOT NULL,
  size     INTEGER NOT NULL, -- with the next: how it was when it was read
  changed  INTEGER NOT NULL,
  position INTEGER NOT NULL, -- where to read on
  head     TEXT    NOT NULL, -- digest of how it begins: another file may take its place
  PRIMARY KEY (agent, file)
) STRICT, WITHOUT ROWID;
CREATE INDEX transcript_files_of_session ON transcript_files (agent, session);

CREATE INDEX sessions_of_project ON sessions (project_id, seen_at);
