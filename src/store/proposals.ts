/** What `lanehold dream` proposes. */
import type { Operation } from './operations.ts';
import { dates, json, plain, rowFormat, tableStore } from './rows.ts';

export interface Quote {
  readonly session: string;
  readonly quote: string;
}

export interface Proposal {
  /** What people name it by: `dp-7f3a2c91`. */
  readonly uid: string;
  readonly projectId: number;
  readonly operation: Operation;
  readonly why: string;
  readonly evidence: readonly Quote[];
  readonly diff: readonly string[];
  readonly source: 'rules' | 'program';
  readonly status: 'waiting' | 'applied' | 'rejected';
  readonly at: Date;
  readonly decidedAt: Date | null;
}

const PROPOSAL = rowFormat<Proposal>({
  ...plain('uid', 'projectId', 'why', 'source', 'status'),
  ...json('operation', 'evidence', 'diff'),
  ...dates('at', 'decidedAt'),
});

export const proposalStore = tableStore(PROPOSAL, ({ all, one, value, writing }) => ({
  /** False if the same was proposed before, whatever became of it. */
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
