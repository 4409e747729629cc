-- Pushes that were held, a row for each ref that would have changed at a remote: listed until the same
-- push would go through. The working tree's own state is not in here; it is in `pending`.
CREATE TABLE held_pushes (
  project_id  INTEGER NOT NULL REFERENCES projects (id),
  remote      TEXT    NOT NULL, -- its name, or its address if it has none
  destination TEXT    NOT NULL, -- full name of the ref at the remote
  source      TEXT    NOT NULL, -- full name of the local ref, or a commit
  features    TEXT    NOT NULL, -- JSON: [{"name", "fingerprint"}]
  at          INTEGER NOT NULL,
  PRIMARY KEY (project_id, remote, destination)
) STRICT, WITHOUT ROWID;

-- What a hook has put before a person: taken away by the first use, and of no use after some minutes.
CREATE TABLE questions (
  id         INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id),
  about      TEXT    NOT NULL, -- `commit <oid>`, `content <fingerprint>`, `words <digest>`
  at         INTEGER NOT NULL
) STRICT;

-- Verifications that run now, by the process that runs them; a row whose process is gone says nothing.
CREATE TABLE running_verifications (
  project_id INTEGER NOT NULL REFERENCES projects (id),
  feature    TEXT    NOT NULL,
  pid        INTEGER NOT NULL,
  start      TEXT    NOT NULL, -- of the process, in the system's own unit
  boot_id    TEXT    NOT NULL,
  at         INTEGER NOT NULL,
  PRIMARY KEY (project_id, feature, pid)
) STRICT, WITHOUT ROWID;
