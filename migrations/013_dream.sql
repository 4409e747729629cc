-- What `lanehold dream` proposes; a rejected proposal stays, so that it is not made again.
CREATE TABLE proposals (
  uid        TEXT    PRIMARY KEY, -- of the project and what is to be done
  project_id INTEGER NOT NULL REFERENCES projects (id),
  operation  TEXT    NOT NULL, -- JSON
  why        TEXT    NOT NULL,
  evidence   TEXT    NOT NULL, -- JSON: sessions, and what was said there
  diff       TEXT    NOT NULL, -- JSON: lines
  source     TEXT    NOT NULL CHECK (source IN ('rules', 'program')),
  status     TEXT    NOT NULL CHECK (status IN ('waiting', 'applied', 'rejected')),
  at         INTEGER NOT NULL,
  decided_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX proposals_of_project ON proposals (project_id, status);
