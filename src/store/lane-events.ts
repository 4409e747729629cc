/** Changes of other lanes that a lane was told of. Read-only. */
import { preparedOnce, type Store } from './open.ts';
import { type Fields, plain, type Row, rowFormat } from './rows.ts';

/** An event of a run. The order of events does not depend on any clock. */
interface LaneEvent {
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
  readonly laneId?: string | null | undefined;
  readonly attemptId?: string | null | undefined;
  readonly epoch?: number;
};

const FIELDS: Fields<Omit<LaneEvent, 'seq'>> = {
  ...plain('runId', 'laneId', 'attemptId', 'epoch', 'type'),
  data: 'json',
  by: 'plain',
  at: 'date',
};
const NEW_EVENT = rowFormat<Omit<LaneEvent, 'seq'>>(FIELDS);
const EVENT = rowFormat<LaneEvent>({ seq: 'plain', ...FIELDS });

export const laneEventStore = preparedOnce(prepare);

function prepare({ db }: Store) {
  const add = db.prepare<Row>(
    `INSERT INTO lane_events (${NEW_EVENT.names}) VALUES (${NEW_EVENT.values})`,
  );
  const since = db.prepare<[runId: string, seq: number], Row>(
    'SELECT * FROM lane_events WHERE run_id = ? AND seq > ? ORDER BY seq',
  );
  const newest = db.prepare<[runId: string], { seq: number }>(
    'SELECT coalesce(max(seq), 0) AS seq FROM lane_events WHERE run_id = ?',
  );
  return {
    /** Call it in the transaction of the change. */
    add(event: NewLaneEvent, now: Date): void {
      const { laneId = null, attemptId = null, epoch = null } = event;
      add.run(NEW_EVENT.toRow({ ...event, laneId, attemptId, epoch, at: now }));
    },
    since: (runId: string, seq: number): LaneEvent[] => since.all(runId, seq).map(EVENT.fromRow),
    /** The cursor: the number of the last event, 0 if there is none. */
    newest: (runId: string): number => newest.get(runId)?.seq ?? 0,
  };
}

/** The type of the event that stores them; its data is a `SiblingChange`. */
export const READ_CHANGED = 'composition.reads';

/** Another lane changes files that this one reads. */
export interface SiblingChange {
  /** The other lane's key. */
  readonly with: string;
  readonly paths: readonly string[];
}

/** Changes of other lanes that a lane was told of. Read-only. */
export const laneNewsStore = preparedOnce(prepareNews);

function prepareNews({ db }: Store) {
  const events = db.prepare<
    { laneId: string; type: string; attemptId: string | null },
    { data: string }
  >(
    `SELECT data FROM lane_events WHERE lane_id = :laneId AND type = :type
        AND seq > coalesce((SELECT max(seq) FROM lane_events
                             WHERE attempt_id = :attemptId AND type = 'attempt.starting'), 0)
      ORDER BY seq`,
  );
  return {
    /** Oldest first; all of them, or those since this attempt began. */
    changes: (laneId: string, attemptId: string | null): SiblingChange[] =>
      events.all({ laneId, type: READ_CHANGED, attemptId }).map(({ data }) => JSON.parse(data)),
  };
}
