import { preparedOnce, type Store } from './open.ts';

export type ReportKind = 'progress' | 'ask' | 'blocked' | 'claims_done' | 'note';

/** What a worker, or somebody about a lane, said. It is a word, never a state. */
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
  /** When the one who asked was shown the answer. */
  readonly toldAt: Date | null;
  readonly by: string;
  readonly at: Date;
}

export interface NewReport {
  readonly id: string;
  readonly laneId: string;
  readonly attemptId: string | null;
  readonly kind: ReportKind;
  readonly body: string;
  readonly by: string;
}

type ReportRow = {
  seq: number;
  id: string;
  lane_id: string;
  attempt_id: string | null;
  kind: ReportKind;
  body: string;
  answer: string | null;
  answered_by: string | null;
  answered_at: number | null;
  told_at: number | null;
  by: string;
  at: number;
};

export const laneReportStore = preparedOnce(prepare);

function prepare({ db }: Store) {
  const add = db.prepare<NewReport & { at: number }>(
    `INSERT INTO reports (id, lane_id, attempt_id, kind, body, by, at)
     VALUES (:id, :laneId, :attemptId, :kind, :body, :by, :at)`,
  );
  const ofLane = db.prepare<[laneId: string], ReportRow>(
    'SELECT * FROM reports WHERE lane_id = ? ORDER BY seq',
  );
  const open = db.prepare<[runId: string], ReportRow>(
    `SELECT r.* FROM reports AS r JOIN lanes AS l ON l.id = r.lane_id
      WHERE l.run_id = ? AND r.kind = 'ask' AND r.answered_at IS NULL ORDER BY r.seq`,
  );
  const answer = db.prepare<[text: string, by: string, at: number, id: string]>(
    `UPDATE reports SET answer = ?, answered_by = ?, answered_at = ?
      WHERE id = ? AND kind = 'ask' AND answered_at IS NULL`,
  );
  const untold = db.prepare<[laneId: string], ReportRow>(
    `SELECT * FROM reports WHERE lane_id = ? AND answered_at IS NOT NULL AND told_at IS NULL
      ORDER BY seq`,
  );
  const told = db.prepare<[at: number, id: string]>('UPDATE reports SET told_at = ? WHERE id = ?');
  return {
    add: (report: NewReport, now: Date): void => void add.run({ ...report, at: now.getTime() }),
    ofLane: (laneId: string): Report[] => ofLane.all(laneId).map(toReport),
    /** Questions that nobody has answered, oldest first. */
    openQuestions: (runId: string): Report[] => open.all(runId).map(toReport),
    /** False if it is no question, or has an answer already. */
    answer: (id: string, text: string, by: string, now: Date): boolean =>
      answer.run(text, by, now.getTime(), id).changes === 1,
    /** Answers that the worker has not seen. */
    untold: (laneId: string): Report[] => untold.all(laneId).map(toReport),
    told: (id: string, now: Date): void => void told.run(now.getTime(), id),
  };
}

function toReport(row: ReportRow): Report {
  const date = (ms: number | null) => (ms === null ? null : new Date(ms));
  return {
    seq: row.seq,
    id: row.id,
    laneId: row.lane_id,
    attemptId: row.attempt_id,
    kind: row.kind,
    body: row.body,
    answer: row.answer,
    answeredBy: row.answered_by,
    answeredAt: date(row.answered_at),
    toldAt: date(row.told_at),
    by: row.by,
    at: new Date(row.at),
  };
}
