-- Times are milliseconds since 1970 UTC. Folders are absolute and resolved.

CREATE TABLE projects (
  id            INTEGER PRIMARY KEY,
  identity      TEXT    NOT NULL UNIQUE,
  first_seen_at INTEGER NOT NULL
) STRICT;

-- Features that only this machine knows; shared ones live in lanehold.json.
CREATE TABLE features (
  project_id INTEGER NOT NULL REFERENCES projects (id),
  name       TEXT    NOT NULL,
  definition TEXT    NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (project_id, name)
) STRICT, WITHOUT ROWID;

-- The last lanehold.json that was validated, per working tree: hooks compare its text, not its rules.
CREATE TABLE registry_files (
  worktree   TEXT PRIMARY KEY,
  source     TEXT NOT NULL,
  normalised TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  agent      TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  project_id INTEGER NOT NULL REFERENCES projects (id),
  worktree   TEXT    NOT NULL,
  head       TEXT,
  started_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL,
  ended_at   INTEGER,
  end_reason TEXT,
  PRIMARY KEY (agent, id)
) STRICT, WITHOUT ROWID;

-- Features seen to be touched. A cheap note by whoever saw the edit; what is really held is
-- computed from git wherever it matters.
CREATE TABLE pending (
  project_id INTEGER NOT NULL REFERENCES projects (id),
  worktree   TEXT    NOT NULL,
  feature    TEXT    NOT NULL,
  session    TEXT    NOT NULL,
  path       TEXT    NOT NULL,
  edits      INTEGER NOT NULL,
  first_at   INTEGER NOT NULL,
  last_at    INTEGER NOT NULL,
  PRIMARY KEY (project_id, worktree, feature)
) STRICT, WITHOUT ROWID;

-- What has been shown to a model, so that it is not shown twice.
CREATE TABLE injections (
  session TEXT    NOT NULL,
  subject TEXT    NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (session, subject)
) STRICT, WITHOUT ROWID;

CREATE TABLE evidence (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id  INTEGER NOT NULL REFERENCES projects (id),
  feature     TEXT    NOT NULL,
  fingerprint TEXT    NOT NULL CHECK (length(fingerprint) = 64),
  kind        TEXT    NOT NULL CHECK (kind IN ('passed', 'failed', 'attested', 'waived')),
  at          INTEGER NOT NULL,
  expires_at  INTEGER,
  actor       TEXT    NOT NULL,
  session     TEXT,
  reason      TEXT,
  revision    TEXT,
  CHECK (kind IN ('passed', 'failed') OR reason IS NOT NULL),
  CHECK (expires_at IS NULL OR kind = 'waived')
) STRICT;
CREATE INDEX evidence_of_content ON evidence (project_id, fingerprint, id);
CREATE INDEX evidence_of_feature ON evidence (project_id, feature, id);

CREATE TABLE evidence_runs (
  evidence_id   INTEGER NOT NULL REFERENCES evidence (id),
  position      INTEGER NOT NULL,
  command       TEXT    NOT NULL,
  cwd           TEXT    NOT NULL,
  outcome       TEXT    NOT NULL CHECK (outcome IN ('exited', 'timed-out', 'killed', 'not-started')),
  exit_code     INTEGER,
  detail        TEXT,
  duration_ms   INTEGER NOT NULL,
  output_bytes  INTEGER NOT NULL,
  output_digest TEXT    NOT NULL,
  output_tail   TEXT    NOT NULL,
  output_file   TEXT,
  PRIMARY KEY (evidence_id, position)
) STRICT, WITHOUT ROWID;

-- The entries behind a fingerprint, deflated: they tell which files have changed since.
CREATE TABLE manifests (
  project_id  INTEGER NOT NULL REFERENCES projects (id),
  fingerprint TEXT    NOT NULL,
  entries     BLOB    NOT NULL,
  PRIMARY KEY (project_id, fingerprint)
) STRICT, WITHOUT ROWID;

-- Each answer at a boundary.
CREATE TABLE decisions (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id INTEGER REFERENCES projects (id),
  at         INTEGER NOT NULL,
  agent      TEXT    NOT NULL,
  session    TEXT    NOT NULL,
  rule       TEXT    NOT NULL,
  decision   TEXT    NOT NULL CHECK (decision IN ('pass', 'deny', 'ask')),
  command    TEXT    NOT NULL,
  reason     TEXT    NOT NULL
) STRICT;
CREATE INDEX decisions_of_project ON decisions (project_id, id);

CREATE TRIGGER evidence_is_never_edited BEFORE UPDATE ON evidence
BEGIN SELECT RAISE (ABORT, 'evidence is never edited'); END;
CREATE TRIGGER evidence_is_never_deleted BEFORE DELETE ON evidence
BEGIN SELECT RAISE (ABORT, 'evidence is never deleted'); END;
CREATE TRIGGER evidence_runs_are_never_edited BEFORE UPDATE ON evidence_runs
BEGIN SELECT RAISE (ABORT, 'evidence is never edited'); END;
CREATE TRIGGER evidence_runs_are_never_deleted BEFORE DELETE ON evidence_runs
BEGIN SELECT RAISE (ABORT, 'evidence is never deleted'); END;

-- REPLACE deletes without telling the triggers above.
CREATE TRIGGER evidence_is_never_replaced BEFORE INSERT ON evidence
WHEN EXISTS (SELECT 1 FROM evidence WHERE id = NEW.id)
BEGIN SELECT RAISE (ABORT, 'evidence is never edited'); END;
CREATE TRIGGER evidence_runs_are_never_replaced BEFORE INSERT ON evidence_runs
WHEN EXISTS (
  SELECT 1 FROM evidence_runs WHERE evidence_id = NEW.evidence_id AND position = NEW.position
)
BEGIN SELECT RAISE (ABORT, 'evidence is never edited'); END;
