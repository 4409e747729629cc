-- Notes that are shared with a team.

-- The revisions that this machine knows, of itself and of others.
CREATE TABLE team_note_revisions (
  project_id INTEGER NOT NULL REFERENCES projects (id),
  digest     TEXT    NOT NULL, -- SHA-256 of the body
  body       TEXT    NOT NULL,
  by         TEXT,             -- who has signed it; NULL: it was made here
  PRIMARY KEY (project_id, digest)
) STRICT, WITHOUT ROWID;

-- Of which revisions the document of a note is.
CREATE TABLE team_notes (
  project_id INTEGER NOT NULL REFERENCES projects (id),
  path       TEXT    NOT NULL,
  base       TEXT    NOT NULL, -- JSON: digests of revisions; none were made yet, or none are here
  seen       TEXT    NOT NULL, -- digest of what was shared of the document; empty: there is none, or it is to be shared again
  PRIMARY KEY (project_id, path)
) STRICT, WITHOUT ROWID;
