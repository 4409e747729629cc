import { plain, rowFormat, tableStore } from './rows.ts';

export type ReportKind = 'progress' | 'ask' | 'blocked' | 'claims_done' | 'note';

/** A report of a worker, or a note on a lane. It never sets a state. */
export interface Report {
  readonly seq: number;
  readonly id: string;
  readonly laneId: string;
  readonly attemptId: string | null;
  readonly kind: ReportKind;
  readonly body: string;
  readonly answer: string | null;
  readonly answeredBy: string | null;
  readonly answeredAt: Date | null;
  /** When the worker that asked was shown the answer. */
  readonly toldAt: Date | null;
  readonly by: string;
  readonly at: Date;
}

type NewReport = Pick<Report, 'id' | 'laneId' | 'attemptId' | 'kind' | 'body' | 'by'>;

const REPORT = rowFormat<Report>({
  ...plain('seq', 'id', 'laneId', 'attemptId', 'kind', 'body', 'answer', 'answeredBy'),
  answeredAt: 'date',
  toldAt: 'date',
  by: 'plain',
  at: 'date',
});

export const laneReportStore = tableStore(REPORT, ({ all, writing }) => ({
  add: writing<[NewReport, now: Date]>(`
     INSERT INTO reports (id, lane_id, attempt_id, kind, body, by, at)
     VALUES (:id, :laneId, :attemptId, :kind, :body, :by, ?)`),
  ofLane: all<[laneId: string]>('SELECT * FROM reports WHERE lane_id = ? ORDER BY seq'),
  /** Questions without an answer, oldest first. */
  openQuestions: all<[runId: string]>(`
      SELECT r.* FROM reports AS r JOIN lanes AS l ON l.id = r.lane_id
      WHERE l.run_id = ? AND r.kind = 'ask' AND r.answered_at IS NULL ORDER BY r.seq`),
  /** False if it is no question, or is answered already. */
  answer: writing<[id: string, text: string, by: string, now: Date]>(`
      UPDATE reports SET answer = ?2, answered_by = ?3, answered_at = ?4
      WHERE id = ?1 AND kind = 'ask' AND answered_at IS NULL`),
  /** Answers that the worker was not shown yet. */
  untold: all<[laneId: string]>(`
      SELECT * FROM reports WHERE lane_id = ? AND answered_at IS NOT NULL AND told_at IS NULL
      ORDER BY seq`),
  told: writing<[id: string, now: Date]>('UPDATE reports SET told_at = ?2 WHERE id = ?1'),
}));
