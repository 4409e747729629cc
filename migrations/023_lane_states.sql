-- The tip of the target with which a lane has landed. A row that has one and is withdrawn was taken back by a person:
-- its lane is queued again only when it is named.
ALTER TABLE integrations ADD COLUMN landed_as TEXT;

-- Work whose validation could not run is not rejected: it is `untested`, is validated again, and no worker is started.
DROP VIEW lane_states;
DROP VIEW lane_facts;

-- Lanes with what their state follows from: the last attempt, the last verdict on exactly the commit, the
-- validation and the set-up that the lane has now, and what became of that commit in the merge queue.
CREATE VIEW lane_facts AS
  SELECT l.id, l.run_id, l.key, l.intent, l.blocked, l.wants_after, l.head_sha, l.spec_hash,
         a.id AS attempt_id, a.n, a.state AS attempt_state, a.end_reason, a.end_cause,
         v.id AS validation_id, v.result, v.spec_hash AS verdict_spec_hash,
         i.id AS integration_id, i.state AS integration_state, i.landed_as,
         -- Somebody asked for more work, and nobody has begun: what was verified until now does not count.
         l.intent = 'run' AND a.n IS NOT NULL AND a.n <= l.wants_after AS is_wanted
    FROM lanes AS l
    LEFT JOIN attempts AS a ON a.lane_id = l.id
     AND a.n = (SELECT max(n) FROM attempts WHERE lane_id = l.id)
    LEFT JOIN validations AS v ON v.seq = (
      SELECT max(seq) FROM validations
       WHERE subject = 'lane' AND lane_id = l.id AND sha = l.head_sha
         AND cmd_hash = l.cmd_hash AND setup_hash = l.setup_hash)
    LEFT JOIN integrations AS i ON i.seq = (
      SELECT max(seq) FROM integrations WHERE lane_id = l.id AND lane_sha = l.head_sha);

-- The one place that says what state a lane is in. First match wins.
CREATE VIEW lane_states AS
  SELECT id AS lane_id, run_id, attempt_id, validation_id, integration_id,
    CASE
      WHEN intent = 'cancelled' THEN 'cancelled'
      WHEN integration_state = 'landed' THEN 'landed'
      WHEN attempt_state IN ('exited', 'validating', 'lost') THEN 'validating'
      WHEN attempt_state IN ('starting', 'running') THEN attempt_state
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
