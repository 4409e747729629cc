import { preparedOnce, type Store } from './open.ts';
import { type Fields, plain, type Row, rowFormat } from './rows.ts';
import type { Budget } from './runs.ts';

/** What a lane is asked to do. Every revision is stored. */
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
  /** Whether the lane is declared to remove tests. */
  readonly removesTests: 'no' | 'declared';
}

export type LaneState =
  | 'cancelled'
  | 'landed'
  | 'starting'
  | 'running'
  | 'validating'
  | 'integrating'
  | 'integrated'
  | 'conflict'
  | 'culprit'
  | 'verified'
  | 'stale'
  | 'blocked'
  | 'parked'
  | 'asks'
  | 'failed'
  | 'planned'
  | 'waiting'
  | 'ready';

export type LaneIntent = 'hold' | 'run' | 'cancelled';

export interface Lane {
  readonly id: string;
  readonly runId: string;
  readonly key: string;
  readonly position: number;
  readonly spec: LaneSpec;
  readonly specRev: number;
  readonly specHash: string;
  readonly validateCmd: string | null;
  readonly validateCwd: string;
  readonly validateTimeoutS: number;
  readonly cmdHash: string;
  readonly setupHash: string;
  readonly branch: string;
  readonly worktree: string | null;
  readonly adopted: boolean;
  readonly baseKind: 'run' | 'dep' | 'integration';
  readonly baseSha: string | null;
  readonly headSha: string | null;
  readonly intent: LaneIntent;
  readonly blocked: string | null;
  /** Attempts up to this number do not count any more: another one was requested. */
  readonly wantsAfter: number;
  readonly priority: number;
  readonly createdAt: Date;
}

/** A lane with the state that follows from its facts. */
export interface LaneView extends Lane {
  readonly state: LaneState;
  readonly attemptId: string | null;
  readonly validationId: string | null;
  readonly integrationId: string | null;
}

export interface LaneDep {
  readonly laneId: string;
  readonly needsLaneId: string;
  readonly kind: 'verified' | 'integrated';
  readonly usedSha: string | null;
}

const FIELDS: Fields<Lane> = {
  ...plain('id', 'runId', 'key', 'position'),
  spec: 'json',
  ...plain('specRev', 'specHash', 'validateCmd', 'validateCwd', 'validateTimeoutS', 'cmdHash'),
  ...plain('setupHash', 'branch', 'worktree'),
  adopted: 'flag',
  ...plain('baseKind', 'baseSha', 'headSha', 'intent', 'blocked', 'wantsAfter', 'priority'),
  createdAt: 'date',
};
const LANE = rowFormat<Lane>(FIELDS);
const LANE_VIEW = rowFormat<LaneView>({
  ...FIELDS,
  ...plain('state', 'attemptId', 'validationId', 'integrationId'),
});
const DEP = rowFormat<LaneDep>({
  ...plain('laneId', 'needsLaneId', 'kind', 'usedSha'),
});

const VIEW = `SELECT l.*, s.state, s.attempt_id, s.validation_id, s.integration_id
                FROM lanes AS l JOIN lane_states AS s ON s.lane_id = l.id`;

export const laneStore = preparedOnce(prepare);

function prepare({ db }: Store) {
  const add = db.prepare<Row>(`INSERT INTO lanes (${LANE.names}) VALUES (${LANE.values})`);
  const revise = db.prepare<Row>(
    `UPDATE lanes SET spec = :spec, spec_rev = :spec_rev, spec_hash = :spec_hash,
       validate_cmd = :validate_cmd, validate_cwd = :validate_cwd,
       validate_timeout_s = :validate_timeout_s, cmd_hash = :cmd_hash, base_kind = :base_kind,
       priority = :priority WHERE id = :id`,
  );
  const keepSpec = db.prepare<[laneId: string, rev: number, spec: string, at: number, by: string]>(
    'INSERT INTO lane_specs (lane_id, rev, spec, at, by) VALUES (?, ?, ?, ?, ?)',
  );
  const specs = db.prepare<[laneId: string], { spec: string }>(
    'SELECT spec FROM lane_specs WHERE lane_id = ? ORDER BY rev',
  );
  const byKey = db.prepare<[runId: string, key: string], Row>(
    `${VIEW} WHERE l.run_id = ? AND l.key = ?`,
  );
  const byId = db.prepare<[id: string], Row>(`${VIEW} WHERE l.id = ?`);
  const rowOf = db.prepare<[id: string], Row>('SELECT * FROM lanes WHERE id = ?');
  const ofRun = db.prepare<[runId: string], Row>(`${VIEW} WHERE l.run_id = ? ORDER BY l.position`);
  const byWorktree = db.prepare<[worktree: string], Row>(
    `${VIEW} WHERE l.worktree = ? ORDER BY l.created_at DESC LIMIT 1`,
  );
  const nextPosition = db.prepare<[runId: string], { next: number }>(
    'SELECT coalesce(max(position), 0) + 1 AS next FROM lanes WHERE run_id = ?',
  );
  const setIntent = db.prepare<[intent: LaneIntent, id: string]>(
    'UPDATE lanes SET intent = ? WHERE id = ?',
  );
  const setBlocked = db.prepare<[reason: string | null, id: string]>(
    'UPDATE lanes SET blocked = ? WHERE id = ?',
  );
  const setAccount = db.prepare<[account: string | null, id: string]>(
    'UPDATE lanes SET account = ? WHERE id = ?',
  );
  const account = db.prepare<[id: string], { account: string | null }>(
    'SELECT account FROM lanes WHERE id = ?',
  );
  const want = db.prepare<[id: string]>(
    `UPDATE lanes SET intent = 'run', wants_after =
       coalesce((SELECT max(n) FROM attempts WHERE lane_id = lanes.id), 0) WHERE id = ?`,
  );
  const setTree = db.prepare<[worktree: string | null, id: string]>(
    'UPDATE lanes SET worktree = ? WHERE id = ?',
  );
  const setBase = db.prepare<[sha: string, id: string]>(
    'UPDATE lanes SET base_sha = ? WHERE id = ?',
  );
  const setHead = db.prepare<[sha: string, setupHash: string, id: string]>(
    'UPDATE lanes SET head_sha = ?, setup_hash = ? WHERE id = ?',
  );
  const addDep = db.prepare<[laneId: string, needs: string, kind: string]>(
    'INSERT INTO lane_deps (lane_id, needs_lane_id, kind) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const dropDep = db.prepare<[laneId: string, needs: string]>(
    'DELETE FROM lane_deps WHERE lane_id = ? AND needs_lane_id = ?',
  );
  const useDep = db.prepare<[sha: string | null, laneId: string, needs: string]>(
    'UPDATE lane_deps SET used_sha = ? WHERE lane_id = ? AND needs_lane_id = ?',
  );
  const depsOf = db.prepare<[laneId: string], Row>('SELECT * FROM lane_deps WHERE lane_id = ?');
  const depsOfRun = db.prepare<[runId: string], Row>(
    'SELECT d.* FROM lane_deps AS d JOIN lanes AS l ON l.id = d.lane_id WHERE l.run_id = ?',
  );
  const unmet = db.prepare<[laneId: string], { needs: string }>(
    'SELECT needs FROM unmet_deps WHERE lane_id = ? ORDER BY needs',
  );
  const unmetOfRun = db.prepare<[runId: string], { lane_id: string; needs: string }>(
    `SELECT u.lane_id, u.needs FROM unmet_deps AS u JOIN lanes AS l ON l.id = u.lane_id
      WHERE l.run_id = ? ORDER BY u.needs`,
  );
  const moved = db.prepare<[laneId: string], { needs_lane_id: string; head_sha: string }>(
    'SELECT needs_lane_id, head_sha FROM moved_deps WHERE lane_id = ?',
  );
  const dropClaims = db.prepare<[laneId: string]>('DELETE FROM claims WHERE lane_id = ?');
  const addClaim = db.prepare<[laneId: string, pattern: string, mode: string]>(
    'INSERT INTO claims (lane_id, pattern, mode) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const claimed = db.prepare<[laneId: string, mode: string], { pattern: string }>(
    'SELECT pattern FROM claims WHERE lane_id = ? AND mode = ? ORDER BY pattern',
  );
  const dropClashes = db.prepare<[laneId: string, otherId: string]>(
    'DELETE FROM clashes WHERE lane_id = ? OR other_id = ?',
  );
  const addClash = db.prepare<[laneId: string, otherId: string]>(
    'INSERT INTO clashes (lane_id, other_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const liveClashes = db.prepare<[laneId: string], { key: string }>(
    `SELECT DISTINCT l.key FROM clashes AS c JOIN lanes AS l ON l.id = c.other_id
       JOIN attempts AS a ON a.lane_id = c.other_id
      WHERE c.lane_id = ? AND a.state IN ('starting', 'running', 'exited', 'validating', 'lost')
      ORDER BY l.key`,
  );
  return {
    add(lane: Lane, by: string): void {
      add.run(LANE.toRow(lane));
      keepSpec.run(lane.id, lane.specRev, JSON.stringify(lane.spec), lane.createdAt.getTime(), by);
    },
    /** Stores a new revision of the spec; the earlier ones stay. */
    revise(lane: Lane, by: string, now: Date): void {
      revise.run(LANE.toRow(lane));
      keepSpec.run(lane.id, lane.specRev, JSON.stringify(lane.spec), now.getTime(), by);
    },
    /** Every revision in order. */
    specs: (laneId: string): LaneSpec[] => specs.all(laneId).map(({ spec }) => JSON.parse(spec)),
    byKey: (runId: string, key: string): LaneView | undefined =>
      LANE_VIEW.found(byKey.get(runId, key)),
    byId: (id: string): LaneView | undefined => LANE_VIEW.found(byId.get(id)),
    /** Without the derived state, which takes a hundred times as long. */
    rowOf: (id: string): Lane | undefined => LANE.found(rowOf.get(id)),
    /** In the order in which they were added. */
    ofRun: (runId: string): LaneView[] => ofRun.all(runId).map(LANE_VIEW.fromRow),
    byWorktree: (worktree: string): LaneView | undefined =>
      LANE_VIEW.found(byWorktree.get(worktree)),
    nextPosition: (runId: string): number => nextPosition.get(runId)?.next ?? 1,
    setIntent: (id: string, intent: LaneIntent): void => void setIntent.run(intent, id),
    /** Requests another attempt, whatever the earlier ones came to. */
    want: (id: string): void => void want.run(id),
    /** The account to work with; `null` if not known yet. */
    account: (id: string): string | null => account.get(id)?.account ?? null,
    setAccount: (id: string, account: string | null): void => void setAccount.run(account, id),
    setBlocked: (id: string, reason: string | null): void => void setBlocked.run(reason, id),
    setWorktree: (id: string, worktree: string | null): void => void setTree.run(worktree, id),
    setBase: (id: string, sha: string): void => void setBase.run(sha, id),
    /** Sets the lane's commit and the hash of its setup. */
    setHead: (id: string, sha: string, setupHash: string): void =>
      void setHead.run(sha, setupHash, id),
    addDep: (laneId: string, needs: string, kind: LaneDep['kind']): void =>
      void addDep.run(laneId, needs, kind),
    dropDep: (laneId: string, needs: string): void => void dropDep.run(laneId, needs),
    /** Notes which commit of `needs` the lane contains now. */
    useDep: (laneId: string, needs: string, sha: string | null): void =>
      void useDep.run(sha, laneId, needs),
    depsOf: (laneId: string): LaneDep[] => depsOf.all(laneId).map(DEP.fromRow),
    depsOfRun: (runId: string): LaneDep[] => depsOfRun.all(runId).map(DEP.fromRow),
    /** Keys of the lanes that it waits for. */
    unmet: (laneId: string): string[] => unmet.all(laneId).map(({ needs }) => needs),
    /** The same for each lane of the run that waits, by its id. */
    unmetOfRun: (runId: string): ReadonlyMap<string, readonly string[]> => {
      const rows = Map.groupBy(unmetOfRun.all(runId), ({ lane_id }) => lane_id);
      return new Map([...rows].map(([id, of]) => [id, of.map(({ needs }) => needs)]));
    },
    /** Dependencies whose head differs from the commit that the lane contains. */
    movedDeps: (laneId: string): { needsLaneId: string; to: string }[] =>
      moved.all(laneId).map((row) => ({ needsLaneId: row.needs_lane_id, to: row.head_sha })),
    setClaims(laneId: string, touches: readonly string[], reads: readonly string[]): void {
      dropClaims.run(laneId);
      for (const pattern of touches) addClaim.run(laneId, pattern, 'write');
      for (const pattern of reads) addClaim.run(laneId, pattern, 'read');
    },
    claims: (laneId: string, mode: 'write' | 'read'): string[] =>
      claimed.all(laneId, mode).map(({ pattern }) => pattern),
    /** Lanes that must not run beside this one; holds in both directions. */
    setClashes(laneId: string, others: readonly string[]): void {
      dropClashes.run(laneId, laneId);
      for (const other of others) {
        addClash.run(laneId, other);
        addClash.run(other, laneId);
      }
    },
    /** Keys of the live lanes that this one must not run beside. */
    liveClashes: (laneId: string): string[] => liveClashes.all(laneId).map(({ key }) => key),
  };
}
