import { preparedOnce, type Store } from './open.ts';

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

/** What a worker has used so far, from its own stream. */
export interface Usage {
  readonly turns: number;
  readonly toolCalls: number;
  readonly seconds: number;
  /** All kinds together, cache reads included. */
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
  /** After a reason with variants the variant: `scope`, `quota`; then words. */
  readonly endDetail: string | null;
  readonly resumeAt: Date | null;
  readonly agent: string | null;
  readonly model: string | null;
  readonly account: string | null;
  /** Its worker is to show whether the account answers; others wait to see. */
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

type AttemptRow = {
  id: string;
  lane_id: string;
  n: number;
  kind: AttemptKind;
  epoch: number;
  state: AttemptState;
  end_reason: EndReason | null;
  end_detail: string | null;
  resume_at: number | null;
  agent: string | null;
  model: string | null;
  account: string | null;
  on_trial: number;
  session_id: string | null;
  spec_hash: string;
  start_sha: string;
  end_sha: string | null;
  worktree: string;
  dir: string;
  exit_code: number | null;
  exit_source: Attempt['exitSource'];
  flags: string;
  boot_id: string | null;
  guard_pid: number | null;
  guard_start: string | null;
  sup_pid: number | null;
  sup_start: string | null;
  started_at: number;
  ended_at: number | null;
  progress_at: number | null;
  last_output_at: number | null;
  last_change_at: number | null;
  launched_at: number | null;
  usage: string | null;
};

export interface NewAttempt {
  readonly id: string;
  readonly laneId: string;
  readonly kind: AttemptKind;
  readonly agent: string | null;
  readonly model: string | null;
  readonly account: string | null;
  readonly sessionId: string | null;
  readonly specHash: string;
  readonly startSha: string;
  readonly worktree: string;
  readonly dir: string;
  readonly bootId: string;
}

/** What may be noted of an attempt besides its state; columns by name. */
export type AttemptNote = Partial<
  Pick<
    AttemptRow,
    | 'end_reason'
    | 'end_detail'
    | 'resume_at'
    | 'on_trial'
    | 'session_id'
    | 'start_sha'
    | 'end_sha'
    | 'exit_code'
    | 'exit_source'
    | 'flags'
    | 'guard_pid'
    | 'guard_start'
    | 'boot_id'
    | 'ended_at'
    | 'progress_at'
    | 'last_output_at'
    | 'last_change_at'
    | 'usage'
  >
>;

const LIVE = `('starting', 'running', 'exited', 'validating', 'lost')`;
const NOTED: ReadonlySet<string> = new Set([
  'end_reason',
  'end_detail',
  'resume_at',
  'on_trial',
  'session_id',
  'start_sha',
  'end_sha',
  'exit_code',
  'exit_source',
  'flags',
  'guard_pid',
  'guard_start',
  'boot_id',
  'ended_at',
  'progress_at',
  'last_output_at',
  'last_change_at',
  'usage',
] satisfies (keyof AttemptNote)[]);

export const attemptStore = preparedOnce(prepare);

function prepare({ db }: Store) {
  const add = db.prepare<NewAttempt & { at: number }>(
    `INSERT INTO attempts (id, lane_id, n, kind, state, agent, model, account, session_id, spec_hash,
                           start_sha, worktree, dir, boot_id, started_at)
     SELECT :id, :laneId, 1 + coalesce((SELECT max(n) FROM attempts WHERE lane_id = :laneId), 0),
            :kind, 'starting', :agent, :model, :account, :sessionId, :specHash, :startSha, :worktree,
            :dir, :bootId, :at`,
  );
  const byId = db.prepare<[id: string], AttemptRow>('SELECT * FROM attempts WHERE id = ?');
  const ofLane = db.prepare<[laneId: string], AttemptRow>(
    'SELECT * FROM attempts WHERE lane_id = ? ORDER BY n',
  );
  const live = db.prepare<[], AttemptRow>(
    `SELECT * FROM attempts WHERE state IN ${LIVE} ORDER BY started_at`,
  );
  const liveOfRun = db.prepare<[runId: string], AttemptRow>(
    `SELECT a.* FROM attempts AS a JOIN lanes AS l ON l.id = a.lane_id
      WHERE l.run_id = ? AND a.state IN ${LIVE} ORDER BY a.started_at`,
  );
  // Until somebody has judged how the worker ended: with the first limit there may be a second one.
  const onTrial = db.prepare<[account: string], AttemptRow>(
    `SELECT * FROM attempts
      WHERE account = ? AND on_trial = 1 AND state IN ('starting', 'running', 'exited', 'lost')
      ORDER BY started_at`,
  );
  const takeOver = db.prepare<[pid: number, start: string, at: number, id: string]>(
    `UPDATE attempts SET epoch = epoch + 1, sup_pid = ?, sup_start = ?, progress_at = ? WHERE id = ?`,
  );
  // What lies in the future was noted before the clock was set back.
  const launched = db.prepare<{ at: number; id: string; before: number }>(
    `UPDATE attempts SET launched_at = :at
      WHERE id = :id AND coalesce(launched_at, 0) NOT BETWEEN :before + 1 AND :at`,
  );
  return {
    add: (attempt: NewAttempt, now: Date): void => void add.run({ ...attempt, at: now.getTime() }),
    byId(id: string): Attempt | undefined {
      const row = byId.get(id);
      return row ? toAttempt(row) : undefined;
    },
    ofLane: (laneId: string): Attempt[] => ofLane.all(laneId).map(toAttempt),
    live: (): Attempt[] => live.all().map(toAttempt),
    liveOfRun: (runId: string): Attempt[] => liveOfRun.all(runId).map(toAttempt),
    onTrial: (account: string): Attempt[] => onTrial.all(account).map(toAttempt),
    /** A supervisor that holds the lock begins a new epoch; later writes name it. */
    takeOver(id: string, pid: number, start: string, now: Date): number {
      takeOver.run(pid, start, now.getTime(), id);
      return byId.get(id)?.epoch ?? 0;
    },
    /** True for one caller within `everyMs`: that one may start a supervisor. */
    claimLaunch: (id: string, everyMs: number, now: Date): boolean =>
      launched.run({ at: now.getTime(), id, before: now.getTime() - everyMs }).changes === 1,
    /**
     * Notes facts of an attempt, and with `state` moves it; false if a later epoch has taken it over,
     * and then nothing is written. The database refuses a move that is not in `attempt_moves`.
     */
    note(id: string, epoch: number, note: AttemptNote & { state?: AttemptState }): boolean {
      const names = Object.keys(note);
      const strange = names.find((name) => name !== 'state' && !NOTED.has(name));
      if (strange !== undefined) throw new TypeError(`attempts have no ${strange} to note`);
      if (names.length === 0) return byId.get(id)?.epoch === epoch;
      const set = names.map((name) => `${name} = :${name}`).join(', ');
      const update = db.prepare(`UPDATE attempts SET ${set} WHERE id = :id AND epoch = :epoch`);
      return update.run({ ...note, id, epoch }).changes === 1;
    },
  };
}

export function isLive({ state }: { readonly state: AttemptState }): boolean {
  return LIVE_STATES.some((it) => it === state);
}

const date = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

function toAttempt(row: AttemptRow): Attempt {
  return {
    id: row.id,
    laneId: row.lane_id,
    n: row.n,
    kind: row.kind,
    epoch: row.epoch,
    state: row.state,
    endReason: row.end_reason,
    endDetail: row.end_detail,
    resumeAt: date(row.resume_at),
    agent: row.agent,
    model: row.model,
    account: row.account,
    onTrial: row.on_trial === 1,
    sessionId: row.session_id,
    specHash: row.spec_hash,
    startSha: row.start_sha,
    endSha: row.end_sha,
    worktree: row.worktree,
    dir: row.dir,
    exitCode: row.exit_code,
    exitSource: row.exit_source,
    flags: JSON.parse(row.flags),
    bootId: row.boot_id,
    guardPid: row.guard_pid,
    guardStart: row.guard_start,
    supPid: row.sup_pid,
    supStart: row.sup_start,
    startedAt: new Date(row.started_at),
    endedAt: date(row.ended_at),
    progressAt: date(row.progress_at),
    lastOutputAt: date(row.last_output_at),
    lastChangeAt: date(row.last_change_at),
    launchedAt: date(row.launched_at),
    usage: row.usage === null ? null : JSON.parse(row.usage),
  };
}
