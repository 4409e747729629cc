import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

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
