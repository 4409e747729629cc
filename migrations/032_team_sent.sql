-- Records of evidence are what is to be sent to the board: it says which of them it lacks.
DROP TRIGGER IF EXISTS evidence_to_team;
DROP TABLE IF EXISTS team_outbox;

-- Records that the board has, or that are never to leave this machine.
CREATE TABLE team_sent (record_id INTEGER PRIMARY KEY) STRICT;

-- The board says what it has of a run, each time.
ALTER TABLE team_runs DROP COLUMN seen;
