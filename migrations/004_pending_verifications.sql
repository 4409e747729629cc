-- Features that were touched in a working tree and have no valid evidence there, as far as anybody
-- has looked: with who touched them, by what, and a file of each. Rows of earlier versions name a
-- file that may belong to another feature; the next look finds what is still pending.
DROP TABLE pending;
CREATE TABLE pending (
  project_id INTEGER NOT NULL REFERENCES projects (id),
  worktree   TEXT    NOT NULL,
  feature    TEXT    NOT NULL,
  path       TEXT    NOT NULL, -- relative to the working tree
  cause      TEXT    NOT NULL CHECK (cause IN ('edit', 'command', 'git')),
  command    TEXT,             -- names of programs
  agent      TEXT    NOT NULL, -- '' where git found the change
  session    TEXT    NOT NULL,
  edits      INTEGER NOT NULL,
  first_at   INTEGER NOT NULL,
  last_at    INTEGER NOT NULL,
  PRIMARY KEY (project_id, worktree, feature),
  CHECK (command IS NULL OR cause = 'command')
) STRICT, WITHOUT ROWID;
