import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

const LIVE_STATES = ['starting', 'running', 'exited', 'validating', 'lost'] as const;
export type AttemptState = (typeof LIVE_STATES)[number] | 'cancelled' | 'ended';

export type EndReason =
  | ('verified' | 'rejected' | 'parked') // its worker said that it is done, or gave up
  | ('timeout' | 'stalled' | 'crashed' | 'lost' | 'cancelled') // it was ended, or is gone
  | ('auth' | 'refused' | 'context_overflow'); // its agent could not go on

/** The exact end of an attempt, if its reason leaves that open. */
export type EndCause =
  | ('no-change' | 'scope' | 'tests-removed' | 'validation') // of its work
  | ('could-not-run' | 'setup') // of what is around its work, and says nothing of it
  | ('budget' | 'lease' | 'paused' | 'stalled' | 'timeout') // of what it may spend
  | ('login' | 'quota' | 'transient') // of its agent's service
  | ('disk' | 'lost'); // of this machine

export type AttemptKind = 'work' | 'fix' | 'validate';

/** What a worker has used so far, as reported in its stream. */
interface Usage {
  readonly turns: number;
  readonly toolCalls: number;
  readonly seconds: number;
  /** The sum of all kinds, cache reads included. */
  readonly tokens: number;
  readonly usd?: number;
}

/** One run of a worker on a lane. */
export type Attempt = RowOf<typeof ATTEMPT>;

const ATTEMPT = rowFormat({
  id: is.text,
  laneId: is.text,
  n: is.number,
  kind: is.plain<AttemptKind>(),
  epoch: is.number,
  state: is.plain<AttemptState>(),
  endReason: is.orNull(is.plain<EndReason>()),
  endCause: is.orNull(is.plain<EndCause>()),
  /** Text for people: why it has ended; before its worker begins, the step; later, what its validation waits for. */
  endDetail: is.orNull(is.text),
  resumeAt: is.orNull(is.date),
  agent: is.orNull(is.text),
  model: is.orNull(is.text),
  account: is.orNull(is.text),
  /** Other lanes of the account wait until it answers this worker. */
  onTrial: is.flag,
  sessionId: is.orNull(is.text),
  specHash: is.text,
  startSha: is.text,
  endSha: is.orNull(is.text),
  worktree: is.text,
  dir: is.text,
  exitCode: is.orNull(is.number),
  exitSource: is.orNull(is.plain<'guard' | 'supervisor' | 'unknown'>()),
  flags: is.json<readonly string[]>(),
  bootId: is.orNull(is.text),
  guardPid: is.orNull(is.number),
  guardStart: is.orNull(is.text),
  startedAt: is.date,
  endedAt: is.orNull(is.date),
  progressAt: is.orNull(is.date),
  lastOutputAt: is.orNull(is.date),
  lastChangeAt: is.orNull(is.date),
  launchedAt: is.orNull(is.date),
  usage: is.orNull(is.json<Usage>()),
});

type NewAttempt = Pick<
  Attempt,
  | ('id' | 'laneId' | 'kind' | 'agent' | 'model' | 'account' | 'sessionId')
  | ('specHash' | 'startSha' | 'worktree' | 'dir')
> & { readonly bootId: string };

/** Fields that are known from the start of an attempt, or are changed in another way. */
type Settled =
  | ('id' | 'laneId' | 'n' | 'kind' | 'epoch' | 'state' | 'agent' | 'model' | 'account')
  | ('specHash' | 'worktree' | 'dir' | 'startedAt' | 'launchedAt');

/** Facts of an attempt that can be noted besides its state. */
export type AttemptNote = Partial<Omit<Attempt, Settled>>;

const LIVE = `(${LIVE_STATES.map((state) => `'${state}'`).join(', ')})`;

export const attemptStore = tableStore(ATTEMPT, ({ all, count, one, writing }) => {
  const byId = one<[id: string]>('SELECT * FROM attempts WHERE id = ?');
  return {
    add: writing<[NewAttempt, now: Date]>(`
      INSERT INTO attempts (id, lane_id, n, kind, state, agent, model, account, session_id, spec_hash,
                            start_sha, worktree, dir, boot_id, started_at)
      SELECT :id, :laneId, 1 + coalesce((SELECT max(n) FROM attempts WHERE lane_id = :laneId), 0),
             :kind, 'starting', :agent, :model, :account, :sessionId, :specHash, :startSha, :worktree,
             :dir, :bootId, ?`),
    byId,
    /** The last attempt of a lane, as its view names it. */
    lastOf: ({ attemptId }: { readonly attemptId: string | null }): Attempt | undefined =>
      attemptId === null ? undefined : byId(attemptId),
    ofLane: all<[laneId: string]>('SELECT * FROM attempts WHERE lane_id = ? ORDER BY n'),
    /** The attempts grouped by lane, in their order. */
    ofRun: all<[runId: string]>(`
      SELECT a.* FROM attempts AS a JOIN lanes AS l ON l.id = a.lane_id
       WHERE l.run_id = ? ORDER BY l.position, a.n`),
    live: all<[]>(`SELECT * FROM attempts WHERE state IN ${LIVE} ORDER BY lane_id, n`),
    liveOfRun: all<[runId: string]>(`
      SELECT a.* FROM attempts AS a JOIN lanes AS l ON l.id = a.lane_id
       WHERE l.run_id = ? AND a.state IN ${LIVE} ORDER BY l.position`),
    // This holds until the worker's end is settled: a second attempt may meet the same limit.
    onTrial: all<[account: string]>(`
      SELECT * FROM attempts
       WHERE account = ? AND on_trial = 1 AND state IN ('starting', 'running', 'exited', 'lost')
       ORDER BY lane_id, n`),
    /** Begins a new epoch; the calling supervisor holds the lock and passes the epoch to its writes. */
    takeOver: count<[id: string, now: Date]>(
      'UPDATE attempts SET epoch = epoch + 1, progress_at = ?2 WHERE id = ?1 RETURNING epoch',
    ),
    /**
     * True for one caller within `everyMs`, which may start a supervisor. A future time was noted before the clock was
     * set back.
     */
    claimLaunch: writing<[id: string, everyMs: number, now: Date]>(`
      UPDATE attempts SET launched_at = ?3
       WHERE id = ?1 AND coalesce(launched_at, 0) NOT BETWEEN ?3 - ?2 + 1 AND ?3`),
    /**
     * Notes facts of an attempt, and with `state` moves it. Returns false and writes nothing if a later epoch has taken
     * it over. The database refuses moves that are not in `attempt_moves`.
     */
    note(id: string, epoch: number, note: AttemptNote & { state?: AttemptState }): boolean {
      const changes = ATTEMPT.assignments(note);
      if (changes === '') return byId(id)?.epoch === epoch;
      const sql = `UPDATE attempts SET ${changes} WHERE id = :id AND epoch = :epoch`;
      return writing<[typeof note & Pick<Attempt, 'id' | 'epoch'>]>(sql)({ ...note, id, epoch });
    },
  };
});

export function isLive({ state }: { readonly state: AttemptState }): boolean {
  return LIVE_STATES.some((it) => it === state);
}

/** The whole working tree of a lane at one moment, saved as a commit under a ref. */
export type Checkpoint = RowOf<typeof CHECKPOINT>;

const CHECKPOINT = rowFormat({
  laneId: is.text,
  attemptId: is.text,
  seq: is.number,
  sha: is.text,
  tree: is.text,
  files: is.number,
  reason: is.text,
  at: is.date,
});

export const checkpointStore = tableStore(CHECKPOINT, ({ all, one, writing }) => ({
  add: writing<[Omit<Checkpoint, 'seq'>]>(`
     INSERT INTO checkpoints (lane_id, attempt_id, seq, sha, tree, files, reason, at)
     SELECT :laneId, :attemptId,
            1 + coalesce((SELECT max(seq) FROM checkpoints
                           WHERE lane_id = :laneId AND attempt_id = :attemptId), 0),
            :sha, :tree, :files, :reason, :at`),
  /** The checkpoints of a lane, oldest first. */
  ofLane: all<[laneId: string]>(`
      SELECT c.* FROM checkpoints AS c JOIN attempts AS a ON a.id = c.attempt_id
      WHERE c.lane_id = ? ORDER BY a.n, c.seq`),
  /** The last checkpoint of each lane's last attempt. */
  lastOfRun: all<[runId: string]>(`
      SELECT c.* FROM lane_facts AS f
        JOIN checkpoints AS c ON c.lane_id = f.id AND c.attempt_id = f.attempt_id
         AND c.seq = (SELECT max(seq) FROM checkpoints
                       WHERE lane_id = f.id AND attempt_id = f.attempt_id)
       WHERE f.run_id = ?`),
  last: one<[laneId: string]>(`
      SELECT c.* FROM checkpoints AS c JOIN attempts AS a ON a.id = c.attempt_id
      WHERE c.lane_id = ? ORDER BY a.n DESC, c.seq DESC LIMIT 1`),
}));
