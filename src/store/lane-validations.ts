import { preparedOnce, type Store } from './open.ts';

export type ValidationSubject = 'lane' | 'base' | 'composition' | 'integration';
export type ValidationResult = 'pass' | 'fail' | 'error' | 'timeout' | 'flaky';

/** One run of the command behind a verdict. */
export interface ValidationRunRecord {
  readonly result: 'pass' | 'fail' | 'error' | 'timeout';
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly logPath: string;
  readonly logSha256: string;
}

/** What ran on exactly one commit, and how it ended. Never changed once stored. */
export interface Validation {
  readonly id: string;
  readonly runId: string;
  readonly subject: ValidationSubject;
  readonly laneId: string | null;
  readonly attemptId: string | null;
  /** A commit; of a composition that has none, the tree. */
  readonly sha: string;
  readonly tree: string;
  readonly cmd: string;
  readonly cwd: string;
  readonly cmdHash: string;
  readonly setupHash: string;
  readonly specHash: string | null;
  readonly envHash: string;
  readonly result: ValidationResult;
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly logPath: string;
  readonly logSha256: string;
  readonly runs: readonly ValidationRunRecord[];
  /** `null`: the log does not tell which tests failed. */
  readonly newFailures: readonly string[] | null;
  /** Those that the base has as well. */
  readonly oldFailures: readonly string[] | null;
  readonly flags: readonly string[];
  readonly why: string;
  readonly host: string;
  readonly at: Date;
}

type ValidationRow = {
  id: string;
  run_id: string;
  subject: ValidationSubject;
  lane_id: string | null;
  attempt_id: string | null;
  sha: string;
  tree: string;
  cmd: string;
  cwd: string;
  cmd_hash: string;
  setup_hash: string;
  spec_hash: string | null;
  env_hash: string;
  result: ValidationResult;
  exit_code: number | null;
  duration_ms: number;
  log_path: string;
  log_sha256: string;
  runs: string;
  new_failures: string | null;
  old_failures: string | null;
  flags: string;
  why: string;
  host: string;
  at: number;
};

export const laneValidationStore = preparedOnce(prepare);

function prepare({ db }: Store) {
  const add = db.prepare<ValidationRow>(
    `INSERT INTO validations (id, run_id, subject, lane_id, attempt_id, sha, tree, cmd, cwd, cmd_hash,
       setup_hash, spec_hash, env_hash, result, exit_code, duration_ms, log_path, log_sha256, runs,
       new_failures, old_failures, flags, why, runner, host, at)
     VALUES (:id, :run_id, :subject, :lane_id, :attempt_id, :sha, :tree, :cmd, :cwd, :cmd_hash,
       :setup_hash, :spec_hash, :env_hash, :result, :exit_code, :duration_ms, :log_path, :log_sha256,
       :runs, :new_failures, :old_failures, :flags, :why, 'lanehold', :host, :at)`,
  );
  const byId = db.prepare<[id: string], ValidationRow>('SELECT * FROM validations WHERE id = ?');
  const ofLane = db.prepare<[laneId: string], ValidationRow>(
    'SELECT * FROM validations WHERE lane_id = ? ORDER BY seq',
  );
  const ofRun = db.prepare<[runId: string], ValidationRow>(
    'SELECT * FROM validations WHERE run_id = ? ORDER BY seq',
  );
  const last = db.prepare<
    { subject: string; sha: string; cmdHash: string; setupHash: string },
    ValidationRow
  >(
    `SELECT * FROM validations WHERE subject = :subject AND sha = :sha AND cmd_hash = :cmdHash
        AND setup_hash = :setupHash ORDER BY seq DESC LIMIT 1`,
  );
  const one = (row: ValidationRow | undefined) => (row ? toValidation(row) : undefined);
  return {
    add: (validation: Validation): void => void add.run(toRow(validation)),
    byId: (id: string): Validation | undefined => one(byId.get(id)),
    ofLane: (laneId: string): Validation[] => ofLane.all(laneId).map(toValidation),
    ofRun: (runId: string): Validation[] => ofRun.all(runId).map(toValidation),
    /** The last verdict on the same commit, command and set-up. */
    last: (key: {
      readonly subject: ValidationSubject;
      readonly sha: string;
      readonly cmdHash: string;
      readonly setupHash: string;
    }): Validation | undefined => one(last.get(key)),
  };
}

const list = (json: string | null): readonly string[] | null =>
  json === null ? null : JSON.parse(json);

function toValidation(row: ValidationRow): Validation {
  return {
    id: row.id,
    runId: row.run_id,
    subject: row.subject,
    laneId: row.lane_id,
    attemptId: row.attempt_id,
    sha: row.sha,
    tree: row.tree,
    cmd: row.cmd,
    cwd: row.cwd,
    cmdHash: row.cmd_hash,
    setupHash: row.setup_hash,
    specHash: row.spec_hash,
    envHash: row.env_hash,
    result: row.result,
    exitCode: row.exit_code,
    durationMs: row.duration_ms,
    logPath: row.log_path,
    logSha256: row.log_sha256,
    runs: JSON.parse(row.runs),
    newFailures: list(row.new_failures),
    oldFailures: list(row.old_failures),
    flags: JSON.parse(row.flags),
    why: row.why,
    host: row.host,
    at: new Date(row.at),
  };
}

function toRow(it: Validation): ValidationRow {
  const json = (names: readonly string[] | null) => (names === null ? null : JSON.stringify(names));
  return {
    id: it.id,
    run_id: it.runId,
    subject: it.subject,
    lane_id: it.laneId,
    attempt_id: it.attemptId,
    sha: it.sha,
    tree: it.tree,
    cmd: it.cmd,
    cwd: it.cwd,
    cmd_hash: it.cmdHash,
    setup_hash: it.setupHash,
    spec_hash: it.specHash,
    env_hash: it.envHash,
    result: it.result,
    exit_code: it.exitCode,
    duration_ms: it.durationMs,
    log_path: it.logPath,
    log_sha256: it.logSha256,
    runs: JSON.stringify(it.runs),
    new_failures: json(it.newFailures),
    old_failures: json(it.oldFailures),
    flags: JSON.stringify(it.flags),
    why: it.why,
    host: it.host,
    at: it.at.getTime(),
  };
}
