import { preparedOnce, type Store } from './open.ts';
import { plain, type Row, rowFormat } from './rows.ts';

export type RunIntent = 'active' | 'paused' | 'cancelled' | 'closed';

/** Caps on what may be spent; `undefined`: no cap of this kind. */
export interface Budget {
  readonly turns?: number;
  readonly seconds?: number;
  readonly tokens?: number;
  readonly usd?: number;
}

export interface RunPolicy {
  /** How many lanes of this run work at once. */
  readonly parallel: number;
  /** How often a lane's work is started automatically until `retry` is needed. */
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

const RUN = rowFormat<Run>({
  ...plain('id', 'projectId', 'name', 'goal', 'repository', 'commonDir', 'baseSha', 'targetRef'),
  ...plain('integrationRef', 'intent', 'pauseReason'),
  policy: 'json',
  createdBy: 'plain',
  createdAt: 'date',
});

export const runStore = preparedOnce(prepare);

function prepare({ db }: Store) {
  const add = db.prepare<Row>(`INSERT INTO runs (${RUN.names}) VALUES (${RUN.values})`);
  const byId = db.prepare<[id: string], Row>('SELECT * FROM runs WHERE id = ?');
  const byName = db.prepare<[projectId: number, name: string], Row>(
    `SELECT * FROM runs WHERE project_id = ? AND name = ?
      ORDER BY intent IN ('active', 'paused') DESC, created_at DESC LIMIT 1`,
  );
  const open = db.prepare<[projectId: number], Row>(
    `SELECT * FROM runs WHERE project_id = ? AND intent IN ('active', 'paused')
      ORDER BY created_at DESC`,
  );
  const all = db.prepare<[projectId: number], Row>(
    'SELECT * FROM runs WHERE project_id = ? ORDER BY created_at DESC',
  );
  const everywhere = db.prepare<[], Row>(
    `SELECT * FROM runs WHERE intent IN ('active', 'paused') ORDER BY created_at`,
  );
  const setIntent = db.prepare<[intent: RunIntent, reason: string | null, id: string]>(
    'UPDATE runs SET intent = ?, pause_reason = ? WHERE id = ?',
  );
  return {
    add: (run: Run): void => void add.run(RUN.toRow(run)),
    byId: (id: string): Run | undefined => RUN.found(byId.get(id)),
    /** The open run of this name, else the newest. */
    byName: (projectId: number, name: string): Run | undefined =>
      RUN.found(byName.get(projectId, name)),
    /** Active and paused runs, newest first. */
    open: (projectId: number): Run[] => open.all(projectId).map(RUN.fromRow),
    all: (projectId: number): Run[] => all.all(projectId).map(RUN.fromRow),
    /** Active and paused runs of all projects. */
    openEverywhere: (): Run[] => everywhere.all().map(RUN.fromRow),
    setIntent(id: string, intent: RunIntent, reason: string | null): void {
      setIntent.run(intent, reason, id);
    },
  };
}
