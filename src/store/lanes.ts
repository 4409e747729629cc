import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

/** The task of a lane. Every revision is stored. */
export interface LaneSpec {
  readonly desc: string;
  /** Further text for the worker's prompt. */
  readonly notes: string;
  /** Globs of the files that it may write; empty: any. */
  readonly touches: readonly string[];
  /** Globs of the files that its work depends on. */
  readonly reads: readonly string[];
  /** Keys of the lanes that it starts from. */
  readonly needs: readonly string[];
  /** `current`, `opposite` or the name of a worker. */
  readonly agent: string;
  readonly model?: string;
  readonly effort?: string;
  readonly setup?: string;
  readonly validate?: string;
  readonly validateCwd: string;
  readonly validateTimeoutS: number;
  readonly timeoutS: number;
  readonly budget: Budget;
  readonly ports: number;
  /** Whether it may run beside lanes that touch the same files. */
  readonly overlaps: 'never' | 'allowed';
  readonly removesTests: 'no' | 'declared';
  /** The change of behaviour that the lane is allowed, in the coordinator's words. */
  readonly changesBehaviour?: string;
  /** Full name of the branch with whose work it began; that branch stays unchanged. */
  readonly branch?: string;
  /** Where it may run: `any` machine of the team, one with `cap:<name>`, a machine by its name; `here` by default. */
  readonly on?: string;
  /** The task of which it is one of several tries, and who picks one: a person, or the first verified. */
  readonly tries?: { readonly of: string; readonly picks: 'person' | 'first' };
}

export type LaneState =
  | ('planned' | 'waiting' | 'ready') // no attempt has begun
  | ('starting' | 'running' | 'validating') // an attempt is at work
  | ('verified' | 'failed' | 'untested' | 'parked' | 'asks' | 'blocked' | 'stale') // it has ended
  | ('integrating' | 'integrated' | 'conflict' | 'culprit' | 'landed') // in the merge queue
  | 'taken-back' // it had landed, and a person has moved the target back
  | 'cancelled';

export type LaneIntent = 'hold' | 'run' | 'cancelled';

export type Lane = RowOf<typeof LANE>;

const LANE = rowFormat({
  id: is.text,
  runId: is.text,
  key: is.text,
  position: is.number,
  spec: is.json<LaneSpec>(),
  specRev: is.number,
  specHash: is.text,
  validateCmd: is.orNull(is.text),
  validateCwd: is.text,
  validateTimeoutS: is.number,
  cmdHash: is.text,
  setupHash: is.text,
  branch: is.text,
  worktree: is.orNull(is.text),
  adopted: is.flag,
  baseSha: is.orNull(is.text),
  headSha: is.orNull(is.text),
  intent: is.plain<LaneIntent>(),
  blocked: is.orNull(is.text),
  /** Attempts up to this number no longer count, because another one was requested. */
  wantsAfter: is.number,
  priority: is.number,
  createdAt: is.date,
});

/** A lane with the state that follows from its facts. */
export type LaneView = RowOf<typeof LANE_VIEW>;

const LANE_VIEW = rowFormat({
  ...LANE.fields,
  state: is.plain<LaneState>(),
  attemptId: is.orNull(is.text),
  validationId: is.orNull(is.text),
  integrationId: is.orNull(is.text),
});

const REVISION = rowFormat({
  rev: is.number,
  at: is.date,
  by: is.text,
  spec: is.json<LaneSpec>(),
});
const DEP = rowFormat({
  laneId: is.text,
  needsLaneId: is.text,
  /** The commit of the needed lane that this one contains. */
  usedSha: is.orNull(is.text),
});

/**
 * Conditions on it are written `= +?`: SQLite plans a join again for each value that is bound to a plain `= ?`, which
 * takes fifty times as long as reading a lane.
 */
const VIEW = `SELECT l.*, s.state, s.attempt_id, s.validation_id, s.integration_id
                FROM lanes AS l JOIN lane_states AS s ON s.lane_id = l.id`;

export const laneStore = tableStore(
  LANE_VIEW,
  ({ all, column, count, one, rows, value, writing }, of) => {
    const add = writing<[Lane]>(LANE.insert('lanes'));
    const revise = writing<[Lane]>(`
    UPDATE lanes SET spec = :spec, spec_rev = :specRev, spec_hash = :specHash,
      validate_cmd = :validateCmd, validate_cwd = :validateCwd,
      validate_timeout_s = :validateTimeoutS, cmd_hash = :cmdHash, priority = :priority
     WHERE id = :id`);
    const keepSpec = writing<[Pick<Lane, 'id' | 'specRev' | 'spec'>, at: Date, by: string]>(
      'INSERT INTO lane_specs (lane_id, rev, spec, at, by) VALUES (:id, :specRev, :spec, ?, ?)',
    );
    const account = value<[id: string], string | null>('SELECT account FROM lanes WHERE id = ?');
    const unmetOfRun = rows<[runId: string], { lane_id: string; needs: string }>(
      'SELECT lane_id, needs FROM unmet_deps WHERE run_id = +? ORDER BY needs',
    );
    return {
      add(lane: Lane, by: string): void {
        add(lane);
        keepSpec(lane, lane.createdAt, by);
      },
      /** Stores a new revision of the spec; the earlier ones stay. */
      revise(lane: Lane, by: string, now: Date): void {
        revise(lane);
        keepSpec(lane, now, by);
      },
      /** The revisions in order, each with its author and time. */
      revisions: of(REVISION).all<[laneId: string]>(
        'SELECT * FROM lane_specs WHERE lane_id = ? ORDER BY rev',
      ),
      byKey: one<[runId: string, key: string]>(`${VIEW} WHERE l.run_id = +? AND l.key = +?`),
      byId: one<[id: string]>(`${VIEW} WHERE l.id = +?`),
      /** The lane without its derived state, which takes longer to find. */
      rowOf: of(LANE).one<[id: string]>('SELECT * FROM lanes WHERE id = ?'),
      /** The lanes in the order in which they were added. */
      ofRun: all<[runId: string]>(`${VIEW} WHERE l.run_id = +? ORDER BY l.position`),
      /** The lane that was added last to the newest run, of those with this working tree. */
      byWorktree: one<[worktree: string]>(
        `${VIEW} JOIN runs AS r ON r.id = l.run_id
        WHERE l.worktree = +? ORDER BY r.seq DESC, l.position DESC LIMIT 1`,
      ),
      nextPosition: count<[runId: string]>(
        'SELECT coalesce(max(position), 0) + 1 FROM lanes WHERE run_id = ?',
      ),
      setIntent: writing<[id: string, intent: LaneIntent]>(
        'UPDATE lanes SET intent = ?2 WHERE id = ?1',
      ),
      /** Requests another attempt, whatever the results of earlier ones. */
      want: writing<[id: string]>(`
      UPDATE lanes SET intent = 'run', wants_after =
        coalesce((SELECT max(n) FROM attempts WHERE lane_id = lanes.id), 0) WHERE id = ?`),
      /** The account to work with; `null` if not known yet. */
      account: (id: string): string | null => account(id) ?? null,
      setAccount: writing<[id: string, account: string | null]>(
        'UPDATE lanes SET account = ?2 WHERE id = ?1',
      ),
      setBlocked: writing<[id: string, reason: string | null]>(
        'UPDATE lanes SET blocked = ?2 WHERE id = ?1',
      ),
      setWorktree: writing<[id: string, worktree: string | null]>(
        'UPDATE lanes SET worktree = ?2 WHERE id = ?1',
      ),
      setBase: writing<[id: string, sha: string]>('UPDATE lanes SET base_sha = ?2 WHERE id = ?1'),
      /** Sets the lane's commit and the hash of its setup. */
      setHead: writing<[id: string, sha: string, setupHash: string]>(
        'UPDATE lanes SET head_sha = ?2, setup_hash = ?3 WHERE id = ?1',
      ),
      addDep: writing<[laneId: string, needs: string]>(
        'INSERT INTO lane_deps (lane_id, needs_lane_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
      ),
      dropDep: writing<[laneId: string, needs: string]>(
        'DELETE FROM lane_deps WHERE lane_id = ? AND needs_lane_id = ?',
      ),
      /** Notes which commit of `needs` the lane contains now. */
      useDep: writing<[laneId: string, needs: string, sha: string | null]>(
        'UPDATE lane_deps SET used_sha = ?3 WHERE lane_id = ?1 AND needs_lane_id = ?2',
      ),
      depsOf: of(DEP).all<[laneId: string]>('SELECT * FROM lane_deps WHERE lane_id = ?'),
      depsOfRun: of(DEP).all<[runId: string]>(
        'SELECT d.* FROM lane_deps AS d JOIN lanes AS l ON l.id = d.lane_id WHERE l.run_id = ?',
      ),
      /** The other lane in which this setup was the last to fail, unless a lane with it has started its worker since. */
      setupFailedIn: value<[laneId: string], string>(`
      SELECT f.key
        FROM lanes AS me
        JOIN lanes AS f ON f.run_id = me.run_id AND f.id <> me.id AND f.intent <> 'cancelled'
                       AND f.spec ->> 'setup' IS me.spec ->> 'setup'
        JOIN attempts AS a ON a.lane_id = f.id AND a.end_cause = 'setup' AND a.end_reason = 'crashed'
        JOIN lane_events AS e ON e.run_id = me.run_id AND e.attempt_id = a.id AND e.type = 'attempt.starting'
       WHERE me.id = ?
         AND NOT EXISTS (
           SELECT 1 FROM lane_events AS r JOIN lanes AS w ON w.id = r.lane_id
            WHERE r.run_id = me.run_id AND r.type = 'attempt.running' AND r.seq > e.seq
              AND w.spec ->> 'setup' IS me.spec ->> 'setup')
       ORDER BY e.seq DESC LIMIT 1`),
      /** Keys of the lanes that it waits for. */
      unmet: column<[laneId: string], string>(
        'SELECT needs FROM unmet_deps WHERE lane_id = +? ORDER BY needs',
      ),
      /** The keys of `unmet` for each waiting lane of the run, by its id. */
      unmetOfRun(runId: string): ReadonlyMap<string, readonly string[]> {
        const byLane = Map.groupBy(unmetOfRun(runId), ({ lane_id }) => lane_id);
        return new Map([...byLane].map(([id, of]) => [id, of.map(({ needs }) => needs)]));
      },
      /** Dependencies whose head differs from the commit that the lane contains. */
      movedDeps: rows<[laneId: string], Record<'needsLaneId' | 'from' | 'to', string>>(
        'SELECT needs_lane_id AS needsLaneId, used_sha AS "from", head_sha AS "to" FROM moved_deps WHERE lane_id = ?',
      ),
    };
  },
);

export type RunIntent = 'active' | 'paused' | 'cancelled' | 'closed';

/** Limits of spending; `undefined`: no limit of this kind. */
export interface Budget {
  /** Requests to the model, or the closest to them in the agent's stream. */
  readonly turns?: number;
  readonly seconds?: number;
  /** Tokens, reads from the cache included. */
  readonly tokens?: number;
  readonly usd?: number;
}

export const BUDGET_KINDS = [
  'turns',
  'seconds',
  'tokens',
  'usd',
] as const satisfies (keyof Budget)[];

export interface RunPolicy {
  /** The most lanes of this run at work at once. */
  readonly parallel: number;
  /** The number of automatic attempts on a lane before `retry` is needed. */
  readonly attempts: number;
  /** What happens to a lane whose account is used up; absent: it waits. */
  readonly onLimit?: 'wait' | 'opposite';
  /** Where new lanes run, as `on` of a lane; absent: here. */
  readonly on?: string;
  readonly laneBudget: Budget;
  readonly runBudget: Budget;
  readonly dayBudget: Budget;
}

/** Broad work that is split into lanes. */
export type Run = RowOf<typeof RUN>;

const RUN = rowFormat({
  id: is.text,
  projectId: is.number,
  name: is.text,
  goal: is.text,
  /** The main working tree, or the bare repository. */
  repository: is.text,
  commonDir: is.text,
  baseSha: is.text,
  targetRef: is.text,
  integrationRef: is.text,
  intent: is.plain<RunIntent>(),
  pauseReason: is.orNull(is.text),
  policy: is.json<RunPolicy>(),
  createdBy: is.text,
  createdAt: is.date,
});

const OPEN = `intent IN ('active', 'paused')`;

export const runStore = tableStore(RUN, ({ all, column, one, writing }) => ({
  add: writing<[Run]>(
    `INSERT INTO runs (${RUN.names}, seq) SELECT ${RUN.values}, 1 + coalesce(max(seq), 0) FROM runs`,
  ),
  byId: one<[id: string]>('SELECT * FROM runs WHERE id = ?'),
  /** The open run of this name, else the newest. */
  byName: one<[projectId: number, name: string]>(`
      SELECT * FROM runs WHERE project_id = ? AND name = ? AND origin IS NULL
      ORDER BY ${OPEN} DESC, seq DESC LIMIT 1`),
  /** Active and paused runs of this machine, newest first. */
  open: all<[projectId: number]>(
    `SELECT * FROM runs WHERE project_id = ? AND ${OPEN} AND origin IS NULL ORDER BY seq DESC`,
  ),
  /** Runs of other machines that this one works for now. */
  lent: all<[projectId: number]>(
    `SELECT * FROM runs WHERE project_id = ? AND ${OPEN} AND origin IS NOT NULL ORDER BY seq DESC`,
  ),
  /** The newest one of this machine, open or not. */
  newest: one<[projectId: number]>(
    'SELECT * FROM runs WHERE project_id = ? AND origin IS NULL ORDER BY seq DESC LIMIT 1',
  ),
  all: all<[projectId: number]>('SELECT * FROM runs WHERE project_id = ? ORDER BY seq DESC'),
  /** Active and paused runs of all projects. */
  openEverywhere: all<[]>(`SELECT * FROM runs WHERE ${OPEN} ORDER BY seq`),
  /** Ids of open runs with open pull requests whose watcher was not started since then. */
  withOpenPulls: column<[before: number], string>(`
      SELECT DISTINCT p.run_id FROM pull_requests AS p JOIN runs AS r ON r.id = p.run_id
       WHERE p.state = 'open' AND r.intent IN ('active', 'paused') AND p.launched_at < ?`),
  /** The run of another machine, of which this one has a lane. */
  setOrigin: writing<[id: string, origin: string]>('UPDATE runs SET origin = ?2 WHERE id = ?1'),
  setTarget: writing<[id: string, ref: string]>('UPDATE runs SET target_ref = ?2 WHERE id = ?1'),
  setIntent: writing<[id: string, intent: RunIntent, reason: string | null]>(
    'UPDATE runs SET intent = ?2, pause_reason = ?3 WHERE id = ?1',
  ),
}));
