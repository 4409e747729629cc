-- What can be recalled: notes, summaries of sessions, prompts, commits.
CREATE TABLE recall_items (
  id         INTEGER PRIMARY KEY,
  uid        TEXT    NOT NULL UNIQUE, -- what people and agents name it by
  project_id INTEGER REFERENCES projects (id), -- NULL: of every project
  kind       TEXT    NOT NULL,
  status     TEXT    NOT NULL CHECK (status IN ('active', 'suggested', 'superseded', 'archived')),
  title      TEXT    NOT NULL,
  body       TEXT    NOT NULL,
  conditions TEXT    NOT NULL, -- words of prompts to which it is relevant
  files      TEXT    NOT NULL, -- JSON: paths relative to the project
  links      TEXT    NOT NULL, -- JSON: commits, features, sessions, items
  commands   TEXT    NOT NULL, -- JSON: patterns of command lines before which it is told
  why        TEXT,             -- of a suggestion: what it was inferred from
  path       TEXT,             -- of the document that it is read from
  branch     TEXT,
  source     TEXT    NOT NULL, -- who said so: person, agent, transcript, import, lanehold
  agent      TEXT,
  session    TEXT,
  at         INTEGER NOT NULL,
  checked_at INTEGER,          -- last found true
  digest     TEXT    NOT NULL, -- of what is shown
  anchors    TEXT              -- JSON: content of the files when it was written
) STRICT;
CREATE INDEX recall_items_of_project ON recall_items (project_id, kind, at);
CREATE UNIQUE INDEX recall_items_by_path ON recall_items (path) WHERE path IS NOT NULL;

-- Pieces of source files; their text stays in the repository.
CREATE TABLE code_chunks (
  id         INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id),
  path       TEXT    NOT NULL,
  blob       TEXT    NOT NULL,
  first_line INTEGER NOT NULL,
  last_line  INTEGER NOT NULL,
  symbols    TEXT    NOT NULL,
  uid        TEXT
) STRICT;
CREATE INDEX code_chunks_of_file ON code_chunks (project_id, path);

CREATE VIRTUAL TABLE item_words USING fts5 (
  project, title, conditions, files, body, content = '', contentless_delete = 1, tokenize = 'unicode61');
CREATE VIRTUAL TABLE code_words USING fts5 (
  project, files, symbols, body, content = '', contentless_delete = 1, tokenize = 'unicode61');
CREATE VIRTUAL TABLE commit_words USING fts5 (
  project, title, body, content = '', contentless_delete = 1, tokenize = 'unicode61');
CREATE VIRTUAL TABLE item_terms USING fts5vocab (item_words, 'row');
CREATE VIRTUAL TABLE code_terms USING fts5vocab (code_words, 'row');

CREATE TABLE commit_files (
  id         INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id),
  oid        TEXT    NOT NULL,
  at         INTEGER NOT NULL,
  files      TEXT    NOT NULL, -- JSON
  UNIQUE (project_id, oid)
) STRICT;

-- What a session has been shown since its context was last emptied.
CREATE TABLE recall_shown (
  agent   TEXT    NOT NULL,
  session TEXT    NOT NULL,
  uid     TEXT    NOT NULL,
  digest  TEXT    NOT NULL,
  at      INTEGER NOT NULL,
  tokens  INTEGER NOT NULL,
  PRIMARY KEY (agent, session, uid)
) STRICT, WITHOUT ROWID;

-- Rules about files that people and agents set up: told before an edit, or refusing it.
CREATE TABLE guards (
  id         INTEGER PRIMARY KEY,
  uid        TEXT    NOT NULL UNIQUE,
  project_id INTEGER NOT NULL REFERENCES projects (id),
  files      TEXT    NOT NULL, -- a path or a glob, relative to the project
  rule       TEXT    NOT NULL,
  reason     TEXT,
  denies     INTEGER NOT NULL CHECK (denies IN (0, 1)),
  by         TEXT    NOT NULL, -- person, or the name of an agent
  at         INTEGER NOT NULL
) STRICT;
CREATE INDEX guards_of_project ON guards (project_id);


-- What sessions did, in order of id: never the output of a tool. Hooks write it to a spool file first.
CREATE TABLE observations (
  id           INTEGER PRIMARY KEY,
  project_id   INTEGER NOT NULL REFERENCES projects (id),
  agent        TEXT    NOT NULL,
  session      TEXT    NOT NULL,
  at           INTEGER NOT NULL,
  kind         TEXT    NOT NULL, -- start, prompt, command, edit, tool, stop, compaction, end
  name         TEXT,             -- of the tool or program; how a session began or ended
  category     TEXT,             -- of a command: test, build, git, ...
  text         TEXT,             -- the user's words; the agent's last words of a turn
  rules        TEXT,             -- JSON: what the user said must, or must not, be done
  files        TEXT    NOT NULL, -- JSON: paths relative to the project
  outcome      TEXT,             -- passed, failed, denied; NULL: not reported
  output_bytes INTEGER
) STRICT;
CREATE INDEX observations_of_session ON observations (agent, session, id);
CREATE INDEX observations_of_project ON observations (project_id, id);

-- How far each part of a spool has been taken over.
CREATE TABLE spool_parts (
  name  TEXT    PRIMARY KEY,
  bytes INTEGER NOT NULL,
  at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
