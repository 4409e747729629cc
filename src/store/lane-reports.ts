import { preparedOnce, type Store } from './open.ts';
import { plain, type Row, rowFormat } from './rows.ts';

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

export const laneReportStore = preparedOnce(prepare);

function prepare({ db }: Store) {
  const add = db.prepare<NewReport & { at: number }>(
    `INSERT INTO reports (id, lane_id, attempt_id, kind, body, by, at)
     VALUES (:id, :laneId, :attemptId, :kind, :body, :by, :at)`,
  );
  const ofLane = db.prepare<[laneId: string], Row>(
    'SELECT * FROM reports WHERE lane_id = ? ORDER BY seq',
  );
  const open = db.prepare<[runId: string], Row>(
    `SELECT r.* FROM reports AS r JOIN lanes AS l ON l.id = r.lane_id
      WHERE l.run_id = ? AND r.kind = 'ask' AND r.answered_at IS NULL ORDER BY r.seq`,
  );
  const answer = db.prepare<[text: string, by: string, at: number, id: string]>(
    `UPDATE reports SET answer = ?, answered_by = ?, answered_at = ?
      WHERE id = ? AND kind = 'ask' AND answered_at IS NULL`,
  );
  const untold = db.prepare<[laneId: string], Row>(
    `SELECT * FROM reports WHERE lane_id = ? AND answered_at IS NOT NULL AND told_at IS NULL
      ORDER BY seq`,
  );
  const told = db.prepare<[at: number, id: string]>('UPDATE reports SET told_at = ? WHERE id = ?');
  return {
    add: (report: NewReport, now: Date): void => void add.run({ ...report, at: now.getTime() }),
    ofLane: (laneId: string): Report[] => ofLane.all(laneId).map(REPORT.fromRow),
    /** Questions without an answer, oldest first. */
    openQuestions: (runId: string): Report[] => open.all(runId).map(REPORT.fromRow),
    /** False if it is no question, or is answered already. */
    answer: (id: string, text: string, by: string, now: Date): boolean =>
      answer.run(text, by, now.getTime(), id).changes === 1,
    /** Answers that the worker was not shown yet. */
    untold: (laneId: string): Report[] => untold.all(laneId).map(REPORT.fromRow),
    told: (id: string, now: Date): void => void told.run(now.getTime(), id),
  };
}
