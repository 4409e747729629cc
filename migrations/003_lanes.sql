-- Broad work in lanes. Facts are stored, states are derived: nobody writes "completed".
-- Ids are text and never used again; names may be. SHAs are full. Folders are absolute and resolved.

CREATE TABLE runs (
  id              TEXT    PRIMARY KEY,
  project_id      INTEGER NOT NULL REFERENCES projects (id),
  name            TEXT    NOT NULL,
  goal            TEXT    NOT NULL,
  repository      TEXT    NOT NULL, -- the main working tree, or the bare repository
  common_dir      TEXT    NOT NULL, -- git's common directory
  base_sha        TEXT    NOT NULL, -- frozen
  target_ref      TEXT    NOT NULL, -- what `land` moves
  integration_ref TEXT    NOT NULL,
  intent          TEXT    NOT NULL CHECK (intent IN ('active', 'paused', 'cancelled', 'closed')),
  pause_reason    TEXT,
  policy          TEXT    NOT NULL, -- JSON: caps, parallel, attempts
  created_by      TEXT    NOT NULL,
  created_at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX one_active_run ON runs (project_id, name) WHERE intent IN ('active', 'paused');

CREATE TABLE lanes (
  id                 TEXT    PRIMARY KEY,
  run_id             TEXT    NOT NULL REFERENCES runs (id),
  key                TEXT    NOT NULL,
  position           INTEGER NOT NULL,
  spec               TEXT    NOT NULL, -- JSON; every revision is kept in lane_specs
  spec_rev           INTEGER NOT NULL,
  spec_hash          TEXT    NOT NULL, -- of what a worker is asked to do
  validate_cmd       TEXT,
  validate_cwd       TEXT    NOT NULL DEFAULT '',
  validate_timeout_s INTEGER NOT NULL,
  cmd_hash           TEXT    NOT NULL, -- of the validation
  setup_hash         TEXT    NOT NULL DEFAULT '',
  branch             TEXT    NOT NULL,
  worktree           TEXT,             -- NULL: none yet
  adopted            INTEGER NOT NULL DEFAULT 0, -- 1: the tree and the branch are somebody else's
  base_kind          TEXT    NOT NULL CHECK (base_kind IN ('run', 'dep', 'integration')),
  base_sha           TEXT,             -- NULL until the first attempt
  head_sha           TEXT,             -- the last commit that lanehold made or took for this lane
  intent             TEXT    NOT NULL CHECK (intent IN ('hold', 'run', 'cancelled')),
  blocked            TEXT,             -- why a person or the coordinator holds it back
  wants_after        INTEGER NOT NULL DEFAULT 0, -- attempts up to this number are dealt with
  priority           INTEGER NOT NULL DEFAULT 0,
  account            TEXT,             -- whose limits it may use up, as it was where somebody asked for work
  created_at         INTEGER NOT NULL,
  UNIQUE (run_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE lane_specs (
  lane_id TEXT    NOT NULL REFERENCES lanes (id),
  rev     INTEGER NOT NULL,
  spec    TEXT    NOT NULL,
  at      INTEGER NOT NULL,
  by      TEXT    NOT NULL,
  PRIMARY KEY (lane_id, rev)
) STRICT, WITHOUT ROWID;

CREATE TABLE lane_deps (
  lane_id       TEXT NOT NULL REFERENCES lanes (id),
  needs_lane_id TEXT NOT NULL REFERENCES lanes (id),
  kind          TEXT NOT NULL CHECK (kind IN ('verified', 'integrated')),
  used_sha      TEXT, -- the commit of the other lane that this one contains
  PRIMARY KEY (lane_id, needs_lane_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX lane_dependants ON lane_deps (needs_lane_id);

-- What lanes say they write and read, and which of them therefore never run at once. A lane without
-- a claim on record is not started.
CREATE TABLE claims (
  lane_id TEXT NOT NULL REFERENCES lanes (id),
  pattern TEXT NOT NULL,
  mode    TEXT NOT NULL CHECK (mode IN ('write', 'read')),
  PRIMARY KEY (lane_id, mode, pattern)
) STRICT, WITHOUT ROWID;
CREATE TABLE clashes (
  lane_id  TEXT NOT NULL REFERENCES lanes (id),
  other_id TEXT NOT NULL REFERENCES lanes (id),
  PRIMARY KEY (lane_id, other_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE attempts (
  id             TEXT    PRIMARY KEY,
  lane_id        TEXT    NOT NULL REFERENCES lanes (id),
  n              INTEGER NOT NULL,
  kind           TEXT    NOT NULL CHECK (kind IN ('work', 'fix', 'validate', 'integrate')),
  epoch          INTEGER NOT NULL DEFAULT 0, -- grows with each supervisor that holds the lock
  state          TEXT    NOT NULL,
  end_reason     TEXT,
  end_detail     TEXT,
  resume_at      INTEGER, -- of a parked one; NULL: not by itself
  agent          TEXT,
  model          TEXT,
  account        TEXT,
  on_trial       INTEGER NOT NULL DEFAULT 0, -- 1: its worker is to show whether the account answers
  session_id     TEXT,
  spec_hash      TEXT    NOT NULL,
  start_sha      TEXT    NOT NULL,
  end_sha        TEXT,
  worktree       TEXT    NOT NULL,
  dir            TEXT    NOT NULL,
  exit_code      INTEGER,
  exit_source    TEXT    CHECK (exit_source IN ('guard', 'supervisor', 'unknown')),
  flags          TEXT    NOT NULL DEFAULT '[]', -- JSON: what a reader has to know besides the verdict
  -- Diagnostics, and whom to end: never the truth about who lives.
  boot_id        TEXT,
  guard_pid      INTEGER,
  guard_start    TEXT,
  sup_pid        INTEGER,
  sup_start      TEXT,
  started_at     INTEGER NOT NULL,
  ended_at       INTEGER,
  progress_at    INTEGER, -- the supervisor's own sign of life
  last_output_at INTEGER,
  last_change_at INTEGER,
  launched_at    INTEGER, -- when somebody last started a supervisor for it
  usage          TEXT,    -- JSON
  UNIQUE (lane_id, n)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX one_live_per_lane ON attempts (lane_id)
  WHERE state IN ('starting', 'running', 'exited', 'validating', 'lost');
CREATE UNIQUE INDEX one_live_per_tree ON attempts (worktree)
  WHERE state IN ('starting', 'running', 'exited', 'validating', 'lost');

CREATE INDEX attempts_on_trial ON attempts (account) WHERE on_trial = 1;

CREATE TABLE attempt_moves (src TEXT NOT NULL, dst TEXT NOT NULL, PRIMARY KEY (src, dst)) STRICT, WITHOUT ROWID;
INSERT INTO attempt_moves (src, dst) VALUES
  ('starting', 'running'), ('starting', 'lost'), ('starting', 'cancelled'), ('starting', 'exited'),
  ('running', 'exited'), ('running', 'lost'), ('running', 'cancelled'),
  ('exited', 'validating'), ('exited', 'ended'),
  ('validating', 'ended'), ('validating', 'lost'), ('validating', 'cancelled'),
  ('lost', 'ended');
CREATE TRIGGER attempt_begins BEFORE INSERT ON attempts
  WHEN NEW.state <> 'starting' OR NEW.end_reason IS NOT NULL OR NEW.epoch <> 0
  BEGIN SELECT RAISE(ABORT, 'an attempt begins as starting'); END;
CREATE TRIGGER attempt_move BEFORE UPDATE OF state ON attempts
  WHEN OLD.state <> NEW.state
   AND NOT EXISTS (SELECT 1 FROM attempt_moves WHERE src = OLD.state AND dst = NEW.state)
  BEGIN SELECT RAISE(ABORT, 'illegal attempt transition'); END;
CREATE TRIGGER attempt_final BEFORE UPDATE ON attempts
  WHEN OLD.state IN ('ended', 'cancelled')
   AND (NEW.state IS NOT OLD.state OR NEW.end_reason IS NOT OLD.end_reason OR NEW.end_sha IS NOT OLD.end_sha)
  BEGIN SELECT RAISE(ABORT, 'an attempt that has ended is not changed'); END;
CREATE TRIGGER attempt_reason BEFORE UPDATE ON attempts
  WHEN NEW.state = 'ended' AND (NEW.end_reason IS NULL OR NEW.end_reason NOT IN (
    'verified', 'rejected', 'parked', 'timeout', 'stalled', 'crashed', 'lost', 'auth', 'refused',
    'context_overflow', 'cancelled'))
  BEGIN SELECT RAISE(ABORT, 'an attempt ends for a reason'); END;
CREATE TRIGGER attempt_verified BEFORE UPDATE ON attempts
  WHEN NEW.end_reason = 'verified' AND NOT EXISTS (
    SELECT 1 FROM validations AS v JOIN lanes AS l ON l.id = v.lane_id
     WHERE v.subject = 'lane' AND v.lane_id = NEW.lane_id AND v.sha = NEW.end_sha AND v.result = 'pass')
  BEGIN SELECT RAISE(ABORT, 'only a validation that passed verifies'); END;
CREATE TRIGGER attempt_epoch BEFORE UPDATE OF epoch ON attempts WHEN NEW.epoch < OLD.epoch
  BEGIN SELECT RAISE(ABORT, 'an epoch only grows'); END;
CREATE TRIGGER attempt_kept BEFORE DELETE ON attempts
  BEGIN SELECT RAISE(ABORT, 'attempts are kept'); END;

CREATE TABLE checkpoints (
  lane_id    TEXT    NOT NULL REFERENCES lanes (id),
  attempt_id TEXT    NOT NULL REFERENCES attempts (id),
  seq        INTEGER NOT NULL,
  sha        TEXT    NOT NULL,
  tree       TEXT    NOT NULL,
  files      INTEGER NOT NULL,
  reason     TEXT    NOT NULL,
  at         INTEGER NOT NULL,
  PRIMARY KEY (lane_id, attempt_id, seq)
) STRICT, WITHOUT ROWID;

-- What ran and how it ended. One row per verdict; `runs` has each run of the command behind it.
CREATE TABLE validations (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  id           TEXT    NOT NULL UNIQUE,
  run_id       TEXT    NOT NULL REFERENCES runs (id),
  subject      TEXT    NOT NULL CHECK (subject IN ('lane', 'base', 'composition', 'integration')),
  lane_id      TEXT    REFERENCES lanes (id),
  attempt_id   TEXT    REFERENCES attempts (id),
  sha          TEXT    NOT NULL, -- commit, or tree for a composition
  tree         TEXT    NOT NULL,
  cmd          TEXT    NOT NULL,
  cwd          TEXT    NOT NULL,
  cmd_hash     TEXT    NOT NULL,
  setup_hash   TEXT    NOT NULL,
  spec_hash    TEXT,
  env_hash     TEXT    NOT NULL,
  result       TEXT    NOT NULL CHECK (result IN ('pass', 'fail', 'error', 'timeout', 'flaky')),
  exit_code    INTEGER,
  duration_ms  INTEGER NOT NULL,
  log_path     TEXT    NOT NULL,
  log_sha256   TEXT    NOT NULL,
  runs         TEXT    NOT NULL, -- JSON: result, exit code, duration, log of each run
  new_failures TEXT,             -- JSON: names; NULL: cannot tell
  old_failures TEXT,             -- JSON: those of the base
  flags        TEXT    NOT NULL DEFAULT '[]',
  why          TEXT    NOT NULL DEFAULT '',
  runner       TEXT    NOT NULL CHECK (runner = 'lanehold'),
  host         TEXT    NOT NULL,
  at           INTEGER NOT NULL,
  CHECK (subject <> 'lane' OR (lane_id IS NOT NULL AND spec_hash IS NOT NULL)),
  -- A pass is an exit with 0; or failures that the base has, too, and by name.
  CHECK (result <> 'pass' OR exit_code = 0 OR (old_failures IS NOT NULL AND old_failures <> '[]'))
) STRICT;
CREATE INDEX validations_of_lane ON validations (lane_id, sha);
CREATE INDEX validations_by_sha ON validations (sha, cmd_hash);
CREATE TRIGGER validation_kept_1 BEFORE UPDATE ON validations
  BEGIN SELECT RAISE(ABORT, 'validations are never changed'); END;
CREATE TRIGGER validation_kept_2 BEFORE DELETE ON validations
  BEGIN SELECT RAISE(ABORT, 'validations are never changed'); END;

-- What two commits give together. The tree can be merged again at any time.
CREATE TABLE compositions (
  seq           INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id        TEXT    NOT NULL REFERENCES runs (id),
  a_lane_id     TEXT    NOT NULL REFERENCES lanes (id),
  b_lane_id     TEXT    REFERENCES lanes (id), -- NULL: the tip of the integration
  a_sha         TEXT    NOT NULL,
  b_sha         TEXT    NOT NULL,
  tree          TEXT    NOT NULL,
  conflicts     TEXT    NOT NULL, -- JSON: paths
  related       INTEGER NOT NULL, -- 1: worth a validation of the two together
  validation_id TEXT    REFERENCES validations (id),
  at            INTEGER NOT NULL,
  UNIQUE (run_id, a_lane_id, a_sha, b_sha)
) STRICT;

CREATE TABLE integrations (
  id            TEXT    PRIMARY KEY,
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
) STRICT, WITHOUT ROWID;
CREATE INDEX integrations_of_lane ON integrations (lane_id, at);
CREATE INDEX integrations_of_run ON integrations (run_id, state);
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

-- One breaker per account that workers are billed to.
CREATE TABLE breakers (
  account       TEXT    PRIMARY KEY,
  resume_at     INTEGER NOT NULL,
  evidence      TEXT    NOT NULL,
  probe_attempt TEXT    REFERENCES attempts (id),
  opened_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- When a worker last showed that its account answers.
CREATE TABLE account_answers (
  account TEXT    PRIMARY KEY,
  at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What may be spent and what was. A reservation that nobody settled counts as spent.
CREATE TABLE ledger (
  attempt_id       TEXT    PRIMARY KEY REFERENCES attempts (id),
  run_id           TEXT    NOT NULL REFERENCES runs (id),
  lane_id          TEXT    NOT NULL REFERENCES lanes (id),
  day              TEXT    NOT NULL, -- 2026-01-31, local
  reserved_turns   INTEGER,
  reserved_seconds INTEGER,
  reserved_tokens  INTEGER,
  reserved_usd     REAL,
  used_turns       INTEGER NOT NULL DEFAULT 0,
  used_seconds     INTEGER NOT NULL DEFAULT 0,
  used_tokens      INTEGER NOT NULL DEFAULT 0,
  used_usd         REAL    NOT NULL DEFAULT 0,
  settled          INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_of_run ON ledger (run_id);
CREATE INDEX ledger_of_day ON ledger (day);

CREATE TABLE reports (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT,
  id          TEXT    NOT NULL UNIQUE,
  lane_id     TEXT    NOT NULL REFERENCES lanes (id),
  attempt_id  TEXT    REFERENCES attempts (id),
  kind        TEXT    NOT NULL CHECK (kind IN ('progress', 'ask', 'blocked', 'claims_done', 'note')),
  body        TEXT    NOT NULL,
  answer      TEXT,
  answered_by TEXT,
  answered_at INTEGER,
  told_at     INTEGER, -- when the worker that asked was shown the answer
  by          TEXT    NOT NULL,
  at          INTEGER NOT NULL
) STRICT;
CREATE INDEX reports_of_lane ON reports (lane_id, seq);

CREATE TABLE lane_events (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  run_id     TEXT    NOT NULL REFERENCES runs (id),
  lane_id    TEXT    REFERENCES lanes (id),
  attempt_id TEXT    REFERENCES attempts (id),
  epoch      INTEGER,
  type       TEXT    NOT NULL,
  data       TEXT    NOT NULL, -- JSON
  by         TEXT    NOT NULL,
  at         INTEGER NOT NULL
) STRICT;
CREATE INDEX lane_events_of_run ON lane_events (run_id, seq);
CREATE TRIGGER lane_event_kept_1 BEFORE UPDATE ON lane_events
  BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE TRIGGER lane_event_kept_2 BEFORE DELETE ON lane_events
  BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;

-- Handoffs that were written before a compaction, and how far a session has read.
CREATE TABLE handoffs (
  id      TEXT    PRIMARY KEY,
  run_id  TEXT    NOT NULL REFERENCES runs (id),
  agent   TEXT    NOT NULL,
  session TEXT    NOT NULL,
  cursor  INTEGER NOT NULL,
  body    TEXT    NOT NULL,
  at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE run_readers (
  run_id  TEXT    NOT NULL REFERENCES runs (id),
  agent   TEXT    NOT NULL,
  session TEXT    NOT NULL,
  cursor  INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (run_id, agent, session)
) STRICT, WITHOUT ROWID;

-- The task lists that agents keep for themselves, as last seen.
CREATE TABLE session_tasks (
  agent      TEXT    NOT NULL,
  session    TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  project_id INTEGER NOT NULL REFERENCES projects (id),
  position   INTEGER NOT NULL,
  title      TEXT    NOT NULL,
  status     TEXT    NOT NULL CHECK (status IN ('pending', 'in_progress', 'completed', 'dropped')),
  at         INTEGER NOT NULL,
  PRIMARY KEY (agent, session, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_tasks_of_project ON session_tasks (project_id, at);

-- The last verdict on exactly the commit, the validation and the set-up that a lane has now.
CREATE VIEW lane_verdicts AS
  SELECT l.id AS lane_id, v.id AS validation_id, v.result, v.spec_hash
    FROM lanes AS l
    JOIN validations AS v ON v.seq = (
      SELECT max(seq) FROM validations
       WHERE subject = 'lane' AND lane_id = l.id AND sha = l.head_sha
         AND cmd_hash = l.cmd_hash AND setup_hash = l.setup_hash);

-- Lanes whose dependency has another verified commit than the one that they contain.
CREATE VIEW moved_deps AS
  SELECT d.lane_id, d.needs_lane_id, d.used_sha, n.head_sha
    FROM lane_deps AS d JOIN lanes AS n ON n.id = d.needs_lane_id
   WHERE d.used_sha IS NOT NULL AND n.head_sha IS NOT NULL AND d.used_sha <> n.head_sha;

CREATE VIEW last_attempts AS
  SELECT a.* FROM attempts AS a
   WHERE a.n = (SELECT max(n) FROM attempts WHERE lane_id = a.lane_id);

-- Somebody asked for more work, and nobody has begun: what was verified until now does not count.
CREATE VIEW wanted_lanes AS
  SELECT l.id AS lane_id,
    l.intent = 'run' AND a.n IS NOT NULL AND a.n <= l.wants_after AS wanted
    FROM lanes AS l LEFT JOIN last_attempts AS a ON a.lane_id = l.id;

CREATE VIEW last_integrations AS
  SELECT i.* FROM integrations AS i
   WHERE i.id = (SELECT id FROM integrations WHERE lane_id = i.lane_id AND lane_sha = i.lane_sha
                  ORDER BY at DESC, id DESC LIMIT 1);

-- Dependencies that are not met. Failure never meets one.
CREATE VIEW unmet_deps AS
  SELECT d.lane_id, n.key AS needs
    FROM lane_deps AS d JOIN lanes AS n ON n.id = d.needs_lane_id
    LEFT JOIN lane_verdicts AS v ON v.lane_id = n.id
    LEFT JOIN last_integrations AS i ON i.lane_id = n.id AND i.lane_sha = n.head_sha
   WHERE NOT (coalesce(i.state, '') IN ('integrated', 'landed')
           OR (d.kind = 'verified' AND coalesce(v.result, '') = 'pass' AND v.spec_hash = n.spec_hash
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
      WHEN w.wanted = 0 AND v.result = 'pass' AND (v.spec_hash <> l.spec_hash
        OR EXISTS (SELECT 1 FROM moved_deps AS m WHERE m.lane_id = l.id)) THEN 'stale'
      WHEN w.wanted = 0 AND v.result = 'pass' AND i.state IN ('integrated', 'conflict', 'culprit') THEN i.state
      WHEN w.wanted = 0 AND v.result = 'pass' THEN 'verified'
      WHEN l.blocked IS NOT NULL THEN 'blocked'
      WHEN a.end_reason = 'parked' AND a.n > l.wants_after THEN 'parked'
      WHEN w.wanted = 0 AND EXISTS (
        SELECT 1 FROM reports AS r WHERE r.lane_id = l.id AND r.kind = 'ask' AND r.answered_at IS NULL) THEN 'asks'
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
    LEFT JOIN last_attempts AS a ON a.lane_id = l.id
    LEFT JOIN lane_verdicts AS v ON v.lane_id = l.id
    LEFT JOIN last_integrations AS i ON i.lane_id = l.id AND i.lane_sha = l.head_sha;
