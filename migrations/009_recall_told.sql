-- What sessions were told, and whether it was opened; kept when a context is emptied, for `recall stats`.
CREATE TABLE recall_told (
  id         INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id),
  agent      TEXT    NOT NULL,
  session    TEXT    NOT NULL,
  moment     TEXT    NOT NULL, -- session-start, prompt-submit, before-tool, ...
  uid        TEXT    NOT NULL,
  at         INTEGER NOT NULL,
  tokens     INTEGER NOT NULL, -- of the first line with the words around all
  opened     INTEGER NOT NULL DEFAULT 0 CHECK (opened IN (0, 1)) -- its id was asked for
) STRICT;
CREATE INDEX recall_told_of_project ON recall_told (project_id, agent, session);
CREATE INDEX recall_told_of_item ON recall_told (uid);
