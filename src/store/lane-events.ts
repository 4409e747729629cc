import { type Fields, plain, rowFormat, tableStore } from './rows.ts';

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

export const laneEventStore = tableStore(EVENT, ({ all, value, writing }) => {
  const add = writing<[Omit<LaneEvent, 'seq'>]>(NEW_EVENT.insert('lane_events'));
  const newest = value<[runId: string], number>(
    'SELECT coalesce(max(seq), 0) FROM lane_events WHERE run_id = ?',
  );
  return {
    /** Call it in the transaction of the change. */
    add(event: NewLaneEvent, now: Date): void {
      const { laneId = null, attemptId = null, epoch = null } = event;
      add({ ...event, laneId, attemptId, epoch, at: now });
    },
    since: all<[runId: string, seq: number]>(
      'SELECT * FROM lane_events WHERE run_id = ? AND seq > ? ORDER BY seq',
    ),
    /** The cursor: the number of the last event, 0 if there is none. */
    newest: (runId: string): number => newest(runId) ?? 0,
  };
});

/** The type of the event that stores them; its data is a `SiblingChange`. */
export const READ_CHANGED = 'composition.reads';

/** Another lane changes files that this one reads. */
export interface SiblingChange {
  /** The other lane's key. */
  readonly with: string;
  readonly paths: readonly string[];
}

/** Changes of other lanes that a lane was told of. Read-only. */
export const laneNewsStore = tableStore(null, ({ column }) => {
  const events = column<[{ laneId: string; type: string; attemptId: string | null }], string>(`
      SELECT data FROM lane_events WHERE lane_id = :laneId AND type = :type
        AND seq > coalesce((SELECT max(seq) FROM lane_events
                             WHERE attempt_id = :attemptId AND type = 'attempt.starting'), 0)
      ORDER BY seq`);
  return {
    /** Oldest first; all of them, or those since this attempt began. */
    changes: (laneId: string, attemptId: string | null): SiblingChange[] =>
      events({ laneId, type: READ_CHANGED, attemptId }).map((data) => JSON.parse(data)),
  };
});
