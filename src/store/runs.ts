import { preparedOnce, type Store } from './open.ts';

export type RunIntent = 'active' | 'paused' | 'cancelled' | 'closed';

/** Caps on what may be spent; `undefined` is no cap of this kind. */
export interface Budget {
  readonly turns?: number;
  readonly seconds?: number;
  readonly tokens?: number;
  readonly usd?: number;
}

export interface RunPolicy {
  /** How many lanes of this run work at once. */
  readonly parallel: number;
  /** How often the work of a lane is started before somebody has to say `retry`. */
  readonly attempts: number;
  readonly laneBudget: Budget;
  readonly runBudget: Budget;
  readonly dayBudget: Budget;
}

/** Broad work that is split into lanes. */
export interface Run {
  readonly id: string;
  readonly projectId: number;
  readonly name: string;
  readonly goal: string;
  /** The main working tree, or the bare repository. */
  readonly repository: string;
  readonly commonDir: string;
  readonly baseSha: string;
  readonly targetRef: string;
  readonly integrationRef: string;
  readonly intent: RunIntent;
  readonly pauseReason: string | null;
  readonly policy: RunPolicy;
  readonly createdBy: string;
  readonly createdAt: Date;
}

type RunRow = {
  id: string;
  project_id: number;
  name: string;
  goal: string;
  repository: string;
  common_dir: string;
  base_sha: string;
  target_ref: string;
  integration_ref: string;
  intent: RunIntent;
  pause_reason: string | null;
  policy: string;
  created_by: string;
  created_at: number;
};

export const runStore = preparedOnce(prepare);

function prepare({ db }: Store) {
  const add = db.prepare<RunRow>(
    `INSERT INTO runs (id, project_id, name, goal, repository, common_dir, base_sha, target_ref,
                       integration_ref, intent, pause_reason, policy, created_by, created_at)
     VALUES (:id, :project_id, :name, :goal, :repository, :common_dir, :base_sha, :target_ref,
             :integration_ref, :intent, :pause_reason, :policy, :created_by, :created_at)`,
  );
  const byId = db.prepare<[id: string], RunRow>('SELECT * FROM runs WHERE id = ?');
  const byName = db.prepare<[projectId: number, name: string], RunRow>(
    `SELECT * FROM runs WHERE project_id = ? AND name = ?
      ORDER BY intent IN ('active', 'paused') DESC, created_at DESC LIMIT 1`,
  );
  const open = db.prepare<[projectId: number], RunRow>(
    `SELECT * FROM runs WHERE project_id = ? AND intent IN ('active', 'paused')
      ORDER BY created_at DESC`,
  );
  const all = db.prepare<[projectId: number], RunRow>(
    'SELECT * FROM runs WHERE project_id = ? ORDER BY created_at DESC',
  );
  const everywhere = db.prepare<[], RunRow>(
    `SELECT * FROM runs WHERE intent IN ('active', 'paused') ORDER BY created_at`,
  );
  const setIntent = db.prepare<[intent: RunIntent, reason: string | null, id: string]>(
    'UPDATE runs SET intent = ?, pause_reason = ? WHERE id = ?',
  );
  const one = (row: RunRow | undefined): Run | undefined => (row ? toRun(row) : undefined);
  return {
    add: (run: Run): void => void add.run(toRow(run)),
    byId: (id: string): Run | undefined => one(byId.get(id)),
    /** The open one of this name, else the last of it. */
    byName: (projectId: number, name: string): Run | undefined => one(byName.get(projectId, name)),
    /** Active and paused ones, newest first. */
    open: (projectId: number): Run[] => open.all(projectId).map(toRun),
    all: (projectId: number): Run[] => all.all(projectId).map(toRun),
    /** Active and paused ones of every project. */
    openEverywhere: (): Run[] => everywhere.all().map(toRun),
    setIntent(id: string, intent: RunIntent, reason: string | null): void {
      setIntent.run(intent, reason, id);
    },
  };
}

function toRun(row: RunRow): Run {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    goal: row.goal,
    repository: row.repository,
    commonDir: row.common_dir,
    baseSha: row.base_sha,
    targetRef: row.target_ref,
    integrationRef: row.integration_ref,
    intent: row.intent,
    pauseReason: row.pause_reason,
    policy: JSON.parse(row.policy),
    createdBy: row.created_by,
    createdAt: new Date(row.created_at),
  };
}

function toRow(run: Run): RunRow {
  return {
    id: run.id,
    project_id: run.projectId,
    name: run.name,
    goal: run.goal,
    repository: run.repository,
    common_dir: run.commonDir,
    base_sha: run.baseSha,
    target_ref: run.targetRef,
    integration_ref: run.integrationRef,
    intent: run.intent,
    pause_reason: run.pauseReason,
    policy: JSON.stringify(run.policy),
    created_by: run.createdBy,
    created_at: run.createdAt.getTime(),
  };
}
