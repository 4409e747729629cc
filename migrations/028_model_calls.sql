-- Each time that the model of `recall.model` was asked which notes a session needs: neither the question nor the answer
-- is kept, only its cost and the notes.
CREATE TABLE model_calls (
  id         INTEGER PRIMARY KEY,
  project_id INTEGER NOT NULL REFERENCES projects (id),
  agent      TEXT NOT NULL,
  session    TEXT NOT NULL,
  at         INTEGER NOT NULL,
  tokens     INTEGER NOT NULL,           -- of the question, with the cached ones
  cached     INTEGER NOT NULL DEFAULT 0, -- of the question, read from the model's cache
  said       INTEGER NOT NULL DEFAULT 0,
  problem    TEXT,                       -- why there was no usable answer
  picked     TEXT                        -- uids that the session has yet to be told, as JSON
) STRICT;
CREATE INDEX model_calls_by_time ON model_calls (at);
CREATE INDEX model_calls_untold ON model_calls (agent, session) WHERE picked IS NOT NULL;
