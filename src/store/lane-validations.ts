import type { Run } from './lanes.ts';
import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

export type ValidationSubject = 'lane' | 'base' | 'composition' | 'integration';
export type ValidationResult = 'pass' | 'fail' | 'error' | 'timeout' | 'flaky';

export interface ValidationRunRecord {
  readonly result: 'pass' | 'fail' | 'error' | 'timeout';
  readonly exitCode: number | null;
  readonly durationMs: number;
  readonly logPath: string;
  /** The digest of the stored, redacted log. */
  readonly logSha256: string;
  /** Tests that ran, and those that passed, as their runners report them. */
  readonly executed?: number;
  readonly passed?: number;
  /** Names of the failed tests, as far as they are known. */
  readonly failures?: readonly string[];
}

/** The result of a validation of exactly one commit. Never changed. */
export type Validation = RowOf<typeof VALIDATION>;

const VALIDATION = rowFormat({
  id: is.text,
  runId: is.text,
  subject: is.plain<ValidationSubject>(),
  laneId: is.orNull(is.text),
  attemptId: is.orNull(is.text),
  /** A commit; for a composition without a commit, the tree. */
  sha: is.text,
  tree: is.text,
  cmd: is.text,
  cwd: is.text,
  cmdHash: is.text,
  setupHash: is.text,
  specHash: is.orNull(is.text),
  result: is.plain<ValidationResult>(),
  exitCode: is.orNull(is.number),
  durationMs: is.number,
  logPath: is.text,
  logSha256: is.text,
  /** Size and time of the log's file when this was stored; `null`: not known. */
  logBytes: is.orNull(is.number),
  logChangedAt: is.orNull(is.date),
  runs: is.json<readonly ValidationRunRecord[]>(),
  /** `null` if the log does not name the failed tests. */
  newFailures: is.orNull(is.json<readonly string[]>()),
  oldFailures: is.orNull(is.json<readonly string[]>()),
  flags: is.json<readonly string[]>(),
  why: is.text,
  host: is.text,
  at: is.date,
});

type BaseOfProject = Pick<Validation, 'sha' | 'cmdHash'> & Pick<Run, 'projectId'>;

const OF_BASE = `
  SELECT * FROM validations WHERE subject = 'base' AND sha = :sha AND cmd_hash = :cmdHash
    AND run_id IN (SELECT id FROM runs WHERE project_id = :projectId)`;

export const laneValidationStore = tableStore(VALIDATION, ({ all, one, writing }) => ({
  add: writing<[Validation]>(
    `INSERT INTO validations (${VALIDATION.names}, runner) VALUES (${VALIDATION.values}, 'lanehold')`,
  ),
  byId: one<[id: string]>('SELECT * FROM validations WHERE id = ?'),
  ofLane: all<[laneId: string]>('SELECT * FROM validations WHERE lane_id = ? ORDER BY seq'),
  ofRun: all<[runId: string]>('SELECT * FROM validations WHERE run_id = ? ORDER BY seq'),
  /**
   * The validations on a board: the verdict behind each lane's state, else its last one; the last one on each base of a
   * lane, with any setup; and those of trial merges.
   */
  shown: all<[runId: string]>(`
      SELECT v.* FROM validations AS v WHERE v.seq IN (
        SELECT coalesce((SELECT seq FROM validations WHERE id = f.validation_id),
                        (SELECT max(seq) FROM validations WHERE lane_id = f.id AND subject = 'lane'))
          FROM lane_facts AS f WHERE f.run_id = ?1
        UNION ALL
        SELECT (SELECT max(seq) FROM validations
                 WHERE sha = coalesce(l.base_sha, r.base_sha) AND cmd_hash = l.cmd_hash AND subject = 'base'
                   AND run_id IN (SELECT id FROM runs WHERE project_id = r.project_id))
          FROM lanes AS l JOIN runs AS r ON r.id = l.run_id WHERE l.run_id = ?1
        UNION ALL
        SELECT t.seq FROM compositions AS c JOIN validations AS t ON t.id = c.validation_id
         WHERE c.run_id = ?1)`),
  /** The verdicts of a project on a base, with any setup. Another clone may have other packages. */
  ofBase: all<[BaseOfProject]>(`${OF_BASE} ORDER BY seq`),
  lastOfBase: one<[BaseOfProject]>(`${OF_BASE} ORDER BY seq DESC LIMIT 1`),
}));
