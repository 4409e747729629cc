-- Lanes that other machines of the team may work on, as their home has last said or heard it.
CREATE TABLE team_lanes (
  lane_id  TEXT PRIMARY KEY REFERENCES lanes (id),
  rev      INTEGER NOT NULL, -- of the offer: grows with each request for work
  spec_rev INTEGER NOT NULL, -- of the lane's task in that offer
  state    TEXT    NOT NULL CHECK (state IN ('to-offer', 'offered', 'claimed', 'ended')),
  epoch    INTEGER NOT NULL DEFAULT 0, -- of the last claim that is known
  host     TEXT,             -- name of the machine that has it, or had it last
  why      TEXT,             -- why it could not be offered so far, or its result was refused, as a clause
  at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Runs as they were published last, and up to which change of the board they were read.
CREATE TABLE team_runs (
  run_id TEXT PRIMARY KEY REFERENCES runs (id),
  rev    INTEGER NOT NULL,
  said   TEXT    NOT NULL, -- JSON: what was published
  seen   INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- A lane that another machine has is running there.
DROP VIEW lane_states;
CREATE VIEW lane_states AS
  SELECT id AS lane_id, run_id, attempt_id, validation_id, integration_id,
    CASE
      WHEN intent = 'cancelled' THEN 'cancelled'
      WHEN integration_state = 'landed' THEN 'landed'
      WHEN attempt_state IN ('exited', 'validating', 'lost') THEN 'validating'
      WHEN attempt_state IN ('starting', 'running') THEN attempt_state
      WHEN EXISTS (SELECT 1 FROM team_lanes WHERE lane_id = f.id AND state = 'claimed') THEN 'running'
      WHEN integration_state IN ('queued', 'merged', 'validating') THEN 'integrating'
      WHEN result = 'pass' AND NOT is_wanted THEN CASE
        WHEN EXISTS (SELECT 1 FROM open_questions WHERE lane_id = f.id) THEN 'asks'
        WHEN verdict_spec_hash <> spec_hash
          OR EXISTS (SELECT 1 FROM moved_deps WHERE lane_id = f.id) THEN 'stale'
        WHEN integration_state IN ('integrated', 'conflict', 'culprit') THEN integration_state
        WHEN integration_state = 'withdrawn' AND landed_as IS NOT NULL THEN 'taken-back'
        ELSE 'verified' END
      WHEN blocked IS NOT NULL THEN 'blocked'
      WHEN end_reason = 'parked' AND n > wants_after THEN 'parked'
      WHEN NOT is_wanted AND EXISTS (SELECT 1 FROM open_questions WHERE lane_id = f.id) THEN 'asks'
      WHEN NOT is_wanted AND validation_id IS NULL AND EXISTS (
        SELECT 1 FROM validations
         WHERE subject = 'lane' AND lane_id = f.id AND sha = f.head_sha AND result = 'pass') THEN 'stale'
      WHEN end_cause = 'could-not-run' AND intent = 'hold' THEN 'untested'
      WHEN end_reason IS NOT NULL AND intent = 'hold' THEN 'failed'
      WHEN intent = 'hold' THEN 'planned'
      WHEN EXISTS (SELECT 1 FROM unmet_deps WHERE lane_id = f.id) THEN 'waiting'
      ELSE 'ready'
    END AS state
    FROM lane_facts AS f;
