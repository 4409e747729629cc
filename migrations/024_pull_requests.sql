-- A pull request that lanehold has opened for a lane, or for the integration of a run (no lane).
CREATE TABLE pull_requests (
  seq         INTEGER PRIMARY KEY,
  run_id      TEXT    NOT NULL REFERENCES runs (id),
  lane_id     TEXT    REFERENCES lanes (id),
  forge       TEXT    NOT NULL, -- JSON: which program speaks with it, host, repository, remote
  number      INTEGER NOT NULL,
  url         TEXT    NOT NULL,
  branch      TEXT    NOT NULL,
  base        TEXT    NOT NULL,
  head_sha    TEXT    NOT NULL, -- what was pushed last
  state       TEXT    NOT NULL CHECK (state IN ('open', 'merged', 'closed')),
  rounds      INTEGER NOT NULL DEFAULT 0, -- how often a worker was given what came back
  look        TEXT,                       -- JSON: what the forge said last, and when
  problem     TEXT,                       -- why it could not be asked since
  landed      TEXT,                       -- how its content was recognised on the target
  handled     TEXT    NOT NULL,           -- JSON: keys of what was handed on or asked already
  feedback    TEXT    NOT NULL,           -- JSON: what the next worker is told; empty once it is pushed
  launched_at INTEGER NOT NULL DEFAULT 0,
  at          INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX one_open_pull_request ON pull_requests (run_id, coalesce(lane_id, '')) WHERE state = 'open';
