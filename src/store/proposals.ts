/** The proposals of `lanehold dream`, and the runs of its programs. */
import type { Operation } from './operations.ts';
import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

export interface Quote {
  readonly session: string;
  readonly quote: string;
}

export type Proposal = RowOf<typeof PROPOSAL>;

const PROPOSAL = rowFormat({
  /** The name for people: `dp-7f3a2c91`. */
  uid: is.text,
  projectId: is.number,
  operation: is.json<Operation>(),
  why: is.text,
  evidence: is.json<readonly Quote[]>(),
  diff: is.json<readonly string[]>(),
  source: is.plain<'rules' | 'program'>(),
  status: is.plain<'waiting' | 'applied' | 'rejected'>(),
  at: is.date,
  decidedAt: is.orNull(is.date),
});

export const proposalStore = tableStore(PROPOSAL, ({ all, one, value, writing }) => ({
  /** False if the same was proposed before, with any result. */
  add: writing<[Proposal]>(`${PROPOSAL.insert('proposals')} ON CONFLICT DO NOTHING`),
  find: one<[projectId: number, uid: string]>(
    'SELECT * FROM proposals WHERE project_id = ? AND uid = ?',
  ),
  waiting: all<[projectId: number]>(
    `SELECT * FROM proposals WHERE project_id = ? AND status = 'waiting' ORDER BY at, uid`,
  ),
  countWaiting: value<[projectId: number], number>(
    `SELECT count(*) FROM proposals WHERE project_id = ? AND status = 'waiting'`,
  ),
  decide: writing<[uid: string, status: Proposal['status'], now: Date]>(
    'UPDATE proposals SET status = ?2, decided_at = ?3 WHERE uid = ?1',
  ),
}));

/** A run of a program over sessions, with its cost and the last event that it read. */
type DreamRun = RowOf<typeof RUN>;

const RUN = rowFormat({
  projectId: is.number,
  at: is.date,
  /** About four characters each. */
  tokens: is.number,
  /** Time of the last event in the sessions that were read; `null` while it runs, or if it failed. */
  readUntil: is.orNull(is.date),
});

export const dreamRunStore = tableStore(RUN, ({ value, writing }) => ({
  add: writing<[DreamRun]>(RUN.insert('dream_runs')),
  /** Milliseconds; `null` if nothing was read yet. */
  readUntil: value<[projectId: number], number | null>(
    'SELECT max(read_until) FROM dream_runs WHERE project_id = ?',
  ),
  /** The tokens of all projects. */
  tokensSince: value<[since: Date], number>(
    'SELECT coalesce(sum(tokens), 0) FROM dream_runs WHERE at >= ?',
  ),
  last: value<[projectId: number], number>('SELECT max(id) FROM dream_runs WHERE project_id = ?'),
  end: writing<[id: number, tokens: number, readUntil: Date | null]>(
    'UPDATE dream_runs SET tokens = ?2, read_until = ?3 WHERE id = ?1',
  ),
}));
