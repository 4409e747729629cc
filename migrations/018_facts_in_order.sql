-- Order is decided by numbers: a clock may be set back. What follows from other rows is not stored.
DROP VIEW lane_states;
DROP VIEW unmet_deps;
DROP VIEW asking_lanes;
DROP VIEW last_integrations;
DROP VIEW wanted_lanes;
DROP VIEW last_attempts;
DROP VIEW lane_verdicts;

DROP TABLE claims;
DROP TABLE clashes;
ALTER TABLE lane_deps DROP COLUMN kind;
ALTER TABLE lanes DROP COLUMN base_kind;
ALTER TABLE attempts DROP COLUMN sup_pid;
ALTER TABLE attempts DROP COLUMN sup_start;
ALTER TABLE recall_items DROP COLUMN branch;
ALTER TABLE validations DROP COLUMN env_hash;

-- Size and time of the log when the verdict was stored: a look at a run compares them, and hashes nothing.
ALTER TABLE validations ADD COLUMN log_bytes INTEGER;
ALTER TABLE validations ADD COLUMN log_changed_at INTEGER;

-- Runs in the order in which they were begun.
ALTER TABLE runs ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
UPDATE runs SET seq = place
  FROM (SELECT id AS it, row_number() OVER (ORDER BY created_at, id) AS place FROM runs) WHERE id = it;
CREATE UNIQUE INDEX runs_in_order ON runs (seq);
CREATE INDEX runs_of_project ON runs (project_id, seq);

CREATE INDEX lanes_by_worktree ON lanes (worktree) WHERE worktree IS NOT NULL;

-- The number of the attempt in which it was written, or after which.
ALTER TABLE reports ADD COLUMN attempt_n INTEGER NOT NULL DEFAULT 0;
UPDATE reports SET attempt_n = coalesce(
  (SELECT n FROM attempts WHERE id = reports.attempt_id),
  (SELECT max(n) FROM attempts WHERE lane_id = reports.lane_id AND started_at <= reports.at),
  0);

-- Grows each time that a session is seen, and that a task of a list is changed.
ALTER TABLE sessions ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET seq = place
  FROM (SELECT agent AS whose, id AS it, row_number() OVER (ORDER BY seen_at) AS place FROM sessions)
 WHERE agent = whose AND id = it;
DROP INDEX sessions_of_project;
CREATE INDEX sessions_of_project ON sessions (project_id, seq);
CREATE INDEX sessions_in_order ON sessions (seq);
ALTER TABLE session_tasks ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
UPDATE session_tasks SET seq = place
  FROM (SELECT agent AS whose, session AS which, id AS it, row_number() OVER (ORDER BY at, position) AS place
          FROM session_tasks)
 WHERE agent = whose AND session = which AND id = it;
CREATE INDEX session_tasks_in_order ON session_tasks (seq);

CREATE TABLE new_integrations (
  seq           INTEGER PRIMARY KEY, -- grows each time that a commit is queued
  id            TEXT    NOT NULL UNIQUE,
  run_id        TEXT    NOT NULL REFERENCES runs (id),
  lane_id       TEXT    NOT NULL REFERENCES lanes (id),
  lane_sha      TEXT    NOT NULL,
  onto_sha      TEXT,
  result_sha    TEXT,
  state         TEXT    NOT NULL CHECK (state IN
    ('queued', 'merged', 'validating', 'integrated', 'landed', 'conflict', 'culprit', 'withdrawn')),
  detail        TEXT    NOT NULL DEFAULT '',
  validation_id TEXT    REFERENCES validations (id),
  epoch         INTEGER NOT NULL DEFAULT 0,
  at            INTEGER NOT NULL
) STRICT;
INSERT INTO new_integrations
    (id, run_id, lane_id, lane_sha, onto_sha, result_sha, state, detail, validation_id, epoch, at)
  SELECT id, run_id, lane_id, lane_sha, onto_sha, result_sha, state, detail, validation_id, epoch, at
    FROM integrations ORDER BY at, id;
DROP TABLE integrations;
ALTER TABLE new_integrations RENAME TO integrations;
CREATE INDEX integrations_of_lane ON integrations (lane_id, lane_sha);
CREATE INDEX integrations_of_run ON integrations (run_id);
CREATE TRIGGER integration_proved BEFORE UPDATE ON integrations
  WHEN NEW.state IN ('integrated', 'landed') AND OLD.state NOT IN ('integrated', 'landed')
   AND NOT EXISTS (SELECT 1 FROM validations WHERE id = NEW.validation_id AND result = 'pass' AND sha = NEW.result_sha)
  BEGIN SELECT RAISE(ABORT, 'only what passed on exactly this commit is integrated'); END;
CREATE TRIGGER integration_kept BEFORE UPDATE ON integrations
  WHEN OLD.state IN ('integrated', 'landed')
   AND (NEW.lane_id IS NOT OLD.lane_id OR NEW.lane_sha IS NOT OLD.lane_sha
     OR NEW.result_sha IS NOT OLD.result_sha OR NEW.validation_id IS NOT OLD.validation_id)
  BEGIN SELECT RAISE(ABORT, 'what was integrated is not exchanged'); END;
CREATE TRIGGER integration_begins BEFORE INSERT ON integrations WHEN NEW.state <> 'queued'
  BEGIN SELECT RAISE(ABORT, 'an integration begins as queued'); END;

CREATE TABLE new_handoffs (
  seq     INTEGER PRIMARY KEY,
  id      TEXT    NOT NULL UNIQUE,
  run_id  TEXT    NOT NULL REFERENCES runs (id),
  agent   TEXT    NOT NULL,
  session TEXT    NOT NULL,
  cursor  INTEGER NOT NULL,
  lines   TEXT    NOT NULL, -- JSON: what each says, and what it claims
  at      INTEGER NOT NULL
) STRICT;
INSERT INTO new_handoffs (id, run_id, agent, session, cursor, lines, at)
  SELECT id, run_id, agent, session, cursor, coalesce(json_extract(body, '$.lines'), '[]'), at
    FROM handoffs WHERE json_valid(body) ORDER BY cursor, at, id;
DROP TABLE handoffs;
ALTER TABLE new_handoffs RENAME TO handoffs;
CREATE INDEX handoffs_of_run ON handoffs (run_id, cursor, seq);

-- SQLite reads a view whole where it stands beside a LEFT JOIN and is a join itself. Views that are joins
-- are therefore only asked for rows of one lane, with EXISTS.

-- Questions that somebody has to answer before the work of their lane counts. Whoever asked for more work
-- since then has let the lane go on without the answer.
CREATE VIEW open_questions AS
  SELECT r.lane_id
    FROM reports AS r JOIN lanes AS l ON l.id = r.lane_id
   WHERE r.kind = 'ask' AND r.answered_at IS NULL
     AND CASE WHEN r.attempt_id IS NOT NULL THEN r.attempt_n > l.wants_after
              ELSE NOT EXISTS (SELECT 1 FROM attempts AS a
                                WHERE a.lane_id = r.lane_id AND a.n > r.attempt_n AND a.kind <> 'validate') END;

-- Lanes with what their state follows from: the last attempt, the last verdict on exactly the commit, the
-- validation and the set-up that the lane has now, and what became of that commit in the merge queue.
CREATE VIEW lane_facts AS
  SELECT l.id, l.run_id, l.key, l.intent, l.blocked, l.wants_after, l.head_sha, l.spec_hash,
         a.id AS attempt_id, a.n, a.state AS attempt_state, a.end_reason,
         v.id AS validation_id, v.result, v.spec_hash AS verdict_spec_hash,
         i.id AS integration_id, i.state AS integration_state,
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

-- Dependencies that are not met. Failure never meets one, nor does work with an open question.
CREATE VIEW unmet_deps AS
  SELECT d.lane_id, n.run_id, n.key AS needs
    FROM lane_deps AS d JOIN lane_facts AS n ON n.id = d.needs_lane_id
   WHERE NOT (coalesce(n.integration_state, '') IN ('integrated', 'landed')
           OR (coalesce(n.result, '') = 'pass' AND n.verdict_spec_hash = n.spec_hash
               AND NOT EXISTS (SELECT 1 FROM open_questions WHERE lane_id = n.id)
               AND NOT EXISTS (SELECT 1 FROM moved_deps WHERE lane_id = n.id)));

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
        ELSE 'verified' END
      WHEN blocked IS NOT NULL THEN 'blocked'
      WHEN end_reason = 'parked' AND n > wants_after THEN 'parked'
      WHEN NOT is_wanted AND EXISTS (SELECT 1 FROM open_questions WHERE lane_id = f.id) THEN 'asks'
      WHEN NOT is_wanted AND validation_id IS NULL AND EXISTS (
        SELECT 1 FROM validations
         WHERE subject = 'lane' AND lane_id = f.id AND sha = f.head_sha AND result = 'pass') THEN 'stale'
      WHEN end_reason IS NOT NULL AND intent = 'hold' THEN 'failed'
      WHEN intent = 'hold' THEN 'planned'
      WHEN EXISTS (SELECT 1 FROM unmet_deps WHERE lane_id = f.id) THEN 'waiting'
      ELSE 'ready'
    END AS state
    FROM lane_facts AS f;
