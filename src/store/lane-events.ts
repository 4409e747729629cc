import { preparedOnce, type Store } from './open.ts';

/** What happened to a run, in one order that no clock can change. */
export interface LaneEvent {
  readonly seq: number;
  readonly runId: string;
  readonly laneId: string | null;
  readonly attemptId: string | null;
  readonly epoch: number | null;
  /** `attempt.running`, `lane.added`, `checkpoint`, … */
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly by: string;
  readonly at: Date;
}

export type NewLaneEvent = Omit<LaneEvent, 'seq' | 'at' | 'laneId' | 'attemptId' | 'epoch'> & {
  readonly laneId?: string;
  readonly attemptId?: string;
  readonly epoch?: number;
};

type EventRow = {
  seq: number;
  run_id: string;
  lane_id: string | null;
  attempt_id: string | null;
  epoch: number | null;
  type: string;
  data: string;
  by: string;
  at: number;
};

export const laneEventStore = preparedOnce(prepare);

function prepare({ db }: Store) {
  const add = db.prepare<Omit<EventRow, 'seq'>>(
    `INSERT INTO lane_events (run_id, lane_id, attempt_id, epoch, type, data, by, at)
     VALUES (:run_id, :lane_id, :attempt_id, :epoch, :type, :data, :by, :at)`,
  );
  const since = db.prepare<[runId: string, seq: number], EventRow>(
    'SELECT * FROM lane_events WHERE run_id = ? AND seq > ? ORDER BY seq',
  );
  const newest = db.prepare<[runId: string], { seq: number }>(
    'SELECT coalesce(max(seq), 0) AS seq FROM lane_events WHERE run_id = ?',
  );
  return {
    /** Call it in the transaction of the change that it tells of. */
    add(event: NewLaneEvent, now: Date): void {
      add.run({
        run_id: event.runId,
        lane_id: event.laneId ?? null,
        attempt_id: event.attemptId ?? null,
        epoch: event.epoch ?? null,
        type: event.type,
        data: JSON.stringify(event.data),
        by: event.by,
        at: now.getTime(),
      });
    },
    since: (runId: string, seq: number): LaneEvent[] => since.all(runId, seq).map(toEvent),
    /** The cursor: the last event's number, 0 if there is none. */
    newest: (runId: string): number => newest.get(runId)?.seq ?? 0,
  };
}

function toEvent(row: EventRow): LaneEvent {
  return {
    seq: row.seq,
    runId: row.run_id,
    laneId: row.lane_id,
    attemptId: row.attempt_id,
    epoch: row.epoch,
    type: row.type,
    data: JSON.parse(row.data),
    by: row.by,
    at: new Date(row.at),
  };
}
