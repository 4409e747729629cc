import { preparedOnce, type Store } from './open.ts';
import { plain, type Row, rowFormat } from './rows.ts';

export const LIVE_STATES = ['starting', 'running', 'exited', 'validating', 'lost'] as const;
export type AttemptState = (typeof LIVE_STATES)[number] | 'cancelled' | 'ended';

export type EndReason =
  | 'verified'
  | 'rejected'
  | 'parked'
  | 'timeout'
  | 'stalled'
  | 'crashed'
  | 'lost'
  | 'auth'
  | 'refused'
  | 'context_overflow'
  | 'cancelled';

export type AttemptKind = 'work' | 'fix' | 'validate' | 'integrate';

/** What a worker has used so far, as reported in its stream. */
export interface Usage {
  readonly turns: number;
  readonly toolCalls: number;
  readonly seconds: number;
  /** The sum of all kinds, cache reads included. */
  readonly tokens: number;
  readonly usd?: number;
}

/** One run of a worker on a lane. */
export interface Attempt {
  readonly id: string;
  readonly laneId: string;
  readonly n: number;
  readonly kind: AttemptKind;
  readonly epoch: number;
  readonly state: AttemptState;
  readonly endReason: EndReason | null;
  /** Begins with the variant of the reason where it has any: `scope`, `quota`. */
  readonly endDetail: string | null;
  readonly resumeAt: Date | null;
  readonly agent: string | null;
  readonly model: string | null;
  readonly account: string | null;
  /** Other lanes of the account wait to see whether it answers this worker. */
  readonly onTrial: boolean;
  readonly sessionId: string | null;
  readonly specHash: string;
  readonly startSha: string;
  readonly endSha: string | null;
  readonly worktree: string;
  readonly dir: string;
  readonly exitCode: number | null;
  readonly exitSource: 'guard' | 'supervisor' | 'unknown' | null;
  readonly flags: readonly string[];
  readonly bootId: string | null;
  readonly guardPid: number | null;
  readonly guardStart: string | null;
  readonly supPid: number | null;
  readonly supStart: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  readonly progressAt: Date | null;
  readonly lastOutputAt: Date | null;
  readonly lastChangeAt: Date | null;
  readonly launchedAt: Date | null;
  readonly usage: Usage | null;
}

const ATTEMPT = rowFormat<Attempt>({
  ...plain('id', 'laneId', 'n', 'kind', 'epoch', 'state', 'endReason', 'endDetail'),
  resumeAt: 'date',
  ...plain('agent', 'model', 'account'),
  onTrial: 'flag',
  ...plain('sessionId', 'specHash', 'startSha', 'endSha', 'worktree', 'dir', 'exitCode'),
  exitSource: 'plain',
  flags: 'json',
  ...plain('bootId', 'guardPid', 'guardStart', 'supPid', 'supStart'),
  startedAt: 'date',
  endedAt: 'date',
  progressAt: 'date',
  lastOutputAt: 'date',
  lastChangeAt: 'date',
  launchedAt: 'date',
  usage: 'json',
});

type NewAttempt = Pick<
  Attempt,
  | ('id' | 'laneId' | 'kind' | 'agent' | 'model' | 'account' | 'sessionId')
  | ('specHash' | 'startSha' | 'worktree' | 'dir')
> & { readonly bootId: string };

/** Facts of an attempt that can be noted besides its state. */
export type AttemptNote = Partial<
  Pick<
    Attempt,
    | ('endReason' | 'endDetail' | 'resumeAt' | 'endedAt' | 'exitCode' | 'exitSource' | 'flags')
    | ('onTrial' | 'sessionId' | 'startSha' | 'endSha' | 'guardPid' | 'guardStart' | 'bootId')
    | ('progressAt' | 'lastOutputAt' | 'lastChangeAt' | 'usage')
  >
>;

const LIVE = `(${LIVE_STATES.map((state) => `'${state}'`).join(', ')})`;

export const attemptStore = preparedOnce(prepare);

function prepare({ db }: Store) {
  const add = db.prepare<NewAttempt & { at: number }>(
    `INSERT INTO attempts (id, lane_id, n, kind, state, agent, model, account, session_id, spec_hash,
                           start_sha, worktree, dir, boot_id, started_at)
     SELECT :id, :laneId, 1 + coalesce((SELECT max(n) FROM attempts WHERE lane_id = :laneId), 0),
            :kind, 'starting', :agent, :model, :account, :sessionId, :specHash, :startSha, :worktree,
            :dir, :bootId, :at`,
  );
  const byId = db.prepare<[id: string], Row>('SELECT * FROM attempts WHERE id = ?');
  const ofLane = db.prepare<[laneId: string], Row>(
    'SELECT * FROM attempts WHERE lane_id = ? ORDER BY n',
  );
  const live = db.prepare<[], Row>(
    `SELECT * FROM attempts WHERE state IN ${LIVE} ORDER BY started_at`,
  );
  const liveOfRun = db.prepare<[runId: string], Row>(
    `SELECT a.* FROM attempts AS a JOIN lanes AS l ON l.id = a.lane_id
      WHERE l.run_id = ? AND a.state IN ${LIVE} ORDER BY a.started_at`,
  );
  // Until the worker's end is settled: a second attempt may meet the same limit.
  const onTrial = db.prepare<[account: string], Row>(
    `SELECT * FROM attempts
      WHERE account = ? AND on_trial = 1 AND state IN ('starting', 'running', 'exited', 'lost')
      ORDER BY started_at`,
  );
  const takeOver = db.prepare<[pid: number, start: string, at: number, id: string]>(
    `UPDATE attempts SET epoch = epoch + 1, sup_pid = ?, sup_start = ?, progress_at = ? WHERE id = ?`,
  );
  // A time in the future was noted before the clock was set back.
  const launched = db.prepare<{ at: number; id: string; before: number }>(
    `UPDATE attempts SET launched_at = :at
      WHERE id = :id AND coalesce(launched_at, 0) NOT BETWEEN :before + 1 AND :at`,
  );
  return {
    add: (attempt: NewAttempt, now: Date): void => void add.run({ ...attempt, at: now.getTime() }),
    byId: (id: string): Attempt | undefined => ATTEMPT.found(byId.get(id)),
    /** The last attempt of a lane, as its view names it. */
    lastOf: ({ attemptId }: { readonly attemptId: string | null }): Attempt | undefined =>
      attemptId === null ? undefined : ATTEMPT.found(byId.get(attemptId)),
    ofLane: (laneId: string): Attempt[] => ofLane.all(laneId).map(ATTEMPT.fromRow),
    live: (): Attempt[] => live.all().map(ATTEMPT.fromRow),
    liveOfRun: (runId: string): Attempt[] => liveOfRun.all(runId).map(ATTEMPT.fromRow),
    onTrial: (account: string): Attempt[] => onTrial.all(account).map(ATTEMPT.fromRow),
    /** Begins a new epoch; the supervisor that calls it holds the lock and passes the epoch to writes. */
    takeOver(id: string, pid: number, start: string, now: Date): number {
      takeOver.run(pid, start, now.getTime(), id);
      return ATTEMPT.found(byId.get(id))?.epoch ?? 0;
    },
    /** True for one caller within `everyMs`, which may start a supervisor. */
    claimLaunch: (id: string, everyMs: number, now: Date): boolean =>
      launched.run({ at: now.getTime(), id, before: now.getTime() - everyMs }).changes === 1,
    /**
     * Notes facts of an attempt, and with `state` moves it. False, and nothing is written, if a later
     * epoch has taken it over. The database refuses moves that are not in `attempt_moves`.
     */
    note(id: string, epoch: number, note: AttemptNote & { state?: AttemptState }): boolean {
      const row = ATTEMPT.toPartialRow(note);
      const names = Object.keys(row);
      if (names.length === 0) return ATTEMPT.found(byId.get(id))?.epoch === epoch;
      const set = names.map((name) => `${name} = :${name}`).join(', ');
      const update = db.prepare(`UPDATE attempts SET ${set} WHERE id = :id AND epoch = :epoch`);
      return update.run({ ...row, id, epoch }).changes === 1;
    },
  };
}

export function isLive({ state }: { readonly state: AttemptState }): boolean {
  return LIVE_STATES.some((it) => it === state);
}
