-- What leaves this machine for the board of a team. Empty where no project is in one.

CREATE TABLE team_projects (
  project_id INTEGER PRIMARY KEY REFERENCES projects (id),
  board      TEXT NOT NULL, -- id of the board
  repo       TEXT NOT NULL, -- by which the board knows the project on every machine
  remote     TEXT NOT NULL  -- address that this is made of
) STRICT;

-- What is still to be said to the board, and what it has answered.
CREATE TABLE team_outbox (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id  INTEGER NOT NULL REFERENCES projects (id),
  board       TEXT    NOT NULL,
  fn          TEXT    NOT NULL CHECK (fn IN ('put_evidence')), -- function of the board
  record_id  INTEGER NOT NULL, -- put_evidence: id of the record
  body        TEXT,             -- what is sent, once it is signed
  made_at     INTEGER NOT NULL,
  answer      TEXT,             -- NULL: to be sent
  answered_at INTEGER,
  why         TEXT,             -- that it was not sent so far, as a clause
  UNIQUE (board, fn, record_id)
) STRICT;
CREATE INDEX team_to_send ON team_outbox (project_id, seq) WHERE answer IS NULL;
CREATE INDEX team_answered ON team_outbox (project_id, answered_at) WHERE answer IS NOT NULL;

-- In the transaction of the record, whoever makes it: none is forgotten, and none is announced that was not kept.
CREATE TRIGGER evidence_to_team AFTER INSERT ON evidence WHEN new.source IS NULL
BEGIN
  INSERT INTO team_outbox (project_id, board, fn, record_id, made_at)
  SELECT project_id, board, 'put_evidence', new.id, new.at FROM team_projects WHERE project_id = new.project_id;
END;
