-- An open question comes before what was verified: what the worker asked for may change the work.
DROP VIEW lane_states;
DROP VIEW unmet_deps;

-- Lanes with a question that somebody has to answer before their work counts. Whoever asked for more work
-- since then has let the lane go on without the answer.
CREATE VIEW asking_lanes AS
  SELECT DISTINCT r.lane_id
    FROM reports AS r JOIN lanes AS l ON l.id = r.lane_id
    LEFT JOIN attempts AS a ON a.id = r.attempt_id
   WHERE r.kind = 'ask' AND r.answered_at IS NULL
     AND (a.n > l.wants_after OR (a.id IS NULL AND NOT EXISTS (
       SELECT 1 FROM attempts WHERE lane_id = l.id AND kind <> 'validate' AND started_at > r.at)));

-- Dependencies that are not met. Failure never meets one, nor does work with an open question.
CREATE VIEW unmet_deps AS
  SELECT d.lane_id, n.key AS needs
    FROM lane_deps AS d JOIN lanes AS n ON n.id = d.needs_lane_id
    LEFT JOIN lane_verdicts AS v ON v.lane_id = n.id
    LEFT JOIN last_integrations AS i ON i.lane_id = n.id AND i.lane_sha = n.head_sha
   WHERE NOT (coalesce(i.state, '') IN ('integrated', 'landed')
           OR (d.kind = 'verified' AND coalesce(v.result, '') = 'pass' AND v.spec_hash = n.spec_hash
               AND NOT EXISTS (SELECT 1 FROM asking_lanes WHERE lane_id = n.id)
               AND NOT EXISTS (SELECT 1 FROM moved_deps WHERE lane_id = n.id)));

-- The one place that says what state a lane is in. First match wins.
CREATE VIEW lane_states AS
  SELECT l.id AS lane_id, l.run_id,
    CASE
      WHEN l.intent = 'cancelled' THEN 'cancelled'
      WHEN i.state = 'landed' THEN 'landed'
      WHEN a.state IN ('exited', 'validating', 'lost') THEN 'validating'
      WHEN a.state IN ('starting', 'running') THEN a.state
      WHEN i.state IN ('queued', 'merged', 'validating') THEN 'integrating'
      WHEN w.wanted = 0 AND v.result = 'pass' AND q.lane_id IS NOT NULL THEN 'asks'
      WHEN w.wanted = 0 AND v.result = 'pass' AND (v.spec_hash <> l.spec_hash
        OR EXISTS (SELECT 1 FROM moved_deps AS m WHERE m.lane_id = l.id)) THEN 'stale'
      WHEN w.wanted = 0 AND v.result = 'pass' AND i.state IN ('integrated', 'conflict', 'culprit') THEN i.state
      WHEN w.wanted = 0 AND v.result = 'pass' THEN 'verified'
      WHEN l.blocked IS NOT NULL THEN 'blocked'
      WHEN a.end_reason = 'parked' AND a.n > l.wants_after THEN 'parked'
      WHEN w.wanted = 0 AND q.lane_id IS NOT NULL THEN 'asks'
      WHEN w.wanted = 0 AND v.validation_id IS NULL AND EXISTS (
        SELECT 1 FROM validations WHERE subject = 'lane' AND lane_id = l.id AND sha = l.head_sha AND result = 'pass') THEN 'stale'
      WHEN a.end_reason IS NOT NULL AND l.intent = 'hold' THEN 'failed'
      WHEN l.intent = 'hold' THEN 'planned'
      WHEN EXISTS (SELECT 1 FROM unmet_deps AS u WHERE u.lane_id = l.id) THEN 'waiting'
      WHEN EXISTS (
        SELECT 1 FROM clashes AS c JOIN attempts AS o ON o.lane_id = c.other_id
         WHERE c.lane_id = l.id AND o.state IN ('starting', 'running', 'exited', 'validating', 'lost')) THEN 'waiting'
      ELSE 'ready'
    END AS state,
    a.id AS attempt_id, v.validation_id, i.id AS integration_id
    FROM lanes AS l
    JOIN wanted_lanes AS w ON w.lane_id = l.id
    LEFT JOIN asking_lanes AS q ON q.lane_id = l.id
    LEFT JOIN last_attempts AS a ON a.lane_id = l.id
    LEFT JOIN lane_verdicts AS v ON v.lane_id = l.id
    LEFT JOIN last_integrations AS i ON i.lane_id = l.id AND i.lane_sha = l.head_sha;
