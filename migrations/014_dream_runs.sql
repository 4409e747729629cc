-- Each time that `lanehold dream` started a program: what it was given and said is not kept.
CREATE TABLE dream_runs (
  id         INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id),
  at         INTEGER NOT NULL,
  tokens     INTEGER NOT NULL, -- of the prompt, and of the answer once there is one
  read_until INTEGER           -- the last event of the sessions that were read; NULL if it came to no end
) STRICT;
CREATE INDEX dream_runs_of_project ON dream_runs (project_id, read_until);
