import { is, type RowOf, rowFormat, tableStore } from './rows.ts';

/** An event of a run. The order of events does not depend on any clock. */
type LaneEvent = RowOf<typeof EVENT>;

const EVENT = rowFormat({
  seq: is.number,
  runId: is.text,
  laneId: is.orNull(is.text),
  attemptId: is.orNull(is.text),
  epoch: is.orNull(is.number),
  /** `attempt.running`, `lane.added`, `checkpoint`, … */
  type: is.text,
  data: is.json<Readonly<Record<string, unknown>>>(),
  by: is.text,
  at: is.date,
});

interface LaneTime {
  readonly laneId: string | null;
  readonly attemptId: string | null;
  readonly type: string;
  /** Milliseconds. */
  readonly at: number;
}

export type NewLaneEvent = Omit<LaneEvent, 'seq' | 'at' | 'laneId' | 'attemptId' | 'epoch'> & {
  readonly laneId?: string | null | undefined;
  readonly attemptId?: string | null | undefined;
  readonly epoch?: number;
};

export const laneEventStore = tableStore(EVENT, ({ all, count, one, rows, writing }) => {
  const add = writing<[NewLaneEvent & { readonly at: Date }]>(EVENT.insert('lane_events'));
  return {
    /** Call it in the transaction of the change. */
    add: (event: NewLaneEvent, now: Date): void => void add({ ...event, at: now }),
    since: all<[runId: string, seq: number]>(
      'SELECT * FROM lane_events WHERE run_id = ? AND seq > ? ORDER BY seq',
    ),
    ofType: all<[runId: string, type: string]>(
      'SELECT * FROM lane_events WHERE run_id = ? AND type = ? ORDER BY seq',
    ),
    /** The time at which each attempt reached each state, and each lane each state of the merge queue. */
    times: rows<[runId: string], LaneTime>(
      `SELECT lane_id AS laneId, attempt_id AS attemptId, type, max(at) AS at FROM lane_events
        WHERE run_id = ? AND (type GLOB 'attempt.*' OR type GLOB 'integration.*')
        GROUP BY lane_id, attempt_id, type`,
    ),
    lastOfLane: one<[runId: string, type: string, laneId: string]>(
      `SELECT * FROM lane_events WHERE run_id = ? AND type = ? AND lane_id = ?
        ORDER BY seq DESC LIMIT 1`,
    ),
    last: one<[runId: string, type: string]>(
      'SELECT * FROM lane_events WHERE run_id = ? AND type = ? ORDER BY seq DESC LIMIT 1',
    ),
    /** The cursor: the number of the last event, 0 if there is none. */
    newest: count<[runId: string]>('SELECT max(seq) FROM lane_events WHERE run_id = ?'),
  };
});

/** The main checkout was changed while a lane was at work; `ref` has the difference from HEAD, if any. */
export const CHECKOUT_CHANGED = 'run.checkout-changed';

/** A person has seen a lane's changes up to the commit in `sha`. */
export const LANE_SEEN = 'lane.seen';

/** The result of combining lanes has changed. */
export const COMPOSITION = 'composition';

/** The event of a run with the steps of an integration, one line each, in `steps`. */
export const INTEGRATION_ENDED = 'integration.ended';

export type ReportKind = 'progress' | 'ask' | 'blocked' | 'claims_done' | 'note';

/** A report of a worker, or a note on a lane or for its worker. It never sets a state. */
export type Report = RowOf<typeof REPORT>;

const REPORT = rowFormat({
  seq: is.number,
  id: is.text,
  laneId: is.text,
  attemptId: is.orNull(is.text),
  kind: is.plain<ReportKind>(),
  body: is.text,
  answer: is.orNull(is.text),
  answeredBy: is.orNull(is.text),
  answeredAt: is.orNull(is.date),
  /** It is a message to the lane's worker. */
  toWorker: is.flag,
  /** The time at which the lane's worker got the answer, or the message. */
  toldAt: is.orNull(is.date),
  by: is.text,
  at: is.date,
});

type NewReport = Pick<Report, 'id' | 'laneId' | 'attemptId' | 'kind' | 'body' | 'by'>;

/** A report with the event of its last answer, else of its own arrival. */
const TOLD = rowFormat({ ...REPORT.fields, event: is.number });

export const laneReportStore = tableStore(REPORT, ({ all, one, writing }, of) => ({
  add: writing<[NewReport, now: Date]>(`
     INSERT INTO reports (id, lane_id, attempt_id, attempt_n, kind, body, by, at)
     VALUES (:id, :laneId, :attemptId,
             coalesce((SELECT n FROM attempts WHERE id = :attemptId),
                      (SELECT max(n) FROM attempts WHERE lane_id = :laneId), 0),
             :kind, :body, :by, ?)`),
  /** Makes a note a message. */
  sendToWorker: writing<[id: string]>('UPDATE reports SET to_worker = 1 WHERE id = ?'),
  byId: one<[id: string]>('SELECT * FROM reports WHERE id = ?'),
  ofLane: all<[laneId: string]>('SELECT * FROM reports WHERE lane_id = ? ORDER BY seq'),
  /** Answered questions and notes of the run, the last one first. */
  decisions: of(TOLD).all<[runId: string]>(`
      SELECT r.*, e.seq AS event FROM lane_events AS e JOIN reports AS r ON r.id = e.data ->> 'report'
       WHERE e.run_id = ? AND ((e.type = 'answer' AND r.answer IS NOT NULL)
          OR (e.type = 'report' AND r.kind = 'note'))
       ORDER BY e.seq DESC`),
  /** Questions that wait for an answer, oldest first: a lane that was proven without it, or is cancelled, needs none. */
  openQuestions: all<[runId: string]>(`
      SELECT r.* FROM reports AS r JOIN lanes AS l ON l.id = r.lane_id
      WHERE l.run_id = ? AND r.kind = 'ask' AND r.answered_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM lane_states WHERE lane_id = l.id AND state IN ('cancelled', 'verified',
          'integrating', 'conflict', 'culprit', 'integrated', 'landed', 'taken-back'))
      ORDER BY r.seq`),
  /** False if it is no question, or is already answered. */
  answer: writing<[id: string, text: string, by: string, now: Date]>(`
      UPDATE reports SET answer = ?2, answered_by = ?3, answered_at = ?4
      WHERE id = ?1 AND kind = 'ask' AND answered_at IS NULL`),
  /** Answers and messages that the lane's worker has not got yet. */
  undelivered: all<[laneId: string]>(`
      SELECT * FROM reports WHERE lane_id = ? AND told_at IS NULL
         AND (answered_at IS NOT NULL OR to_worker = 1) ORDER BY seq`),
  /** Messages of the run that no worker has got yet. */
  undeliveredMessages: all<[runId: string]>(`
      SELECT r.* FROM reports AS r JOIN lanes AS l ON l.id = r.lane_id
      WHERE l.run_id = ? AND r.to_worker = 1 AND r.told_at IS NULL ORDER BY r.seq`),
  markDelivered: writing<[id: string, now: Date]>('UPDATE reports SET told_at = ?2 WHERE id = ?1'),
}));
