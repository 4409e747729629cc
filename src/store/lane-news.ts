/** Changes of other lanes that a lane was told of. Read-only. */
import { preparedOnce, type Store } from './open.ts';

/** The type of the event that stores them; its data is a `SiblingChange`. */
export const READ_CHANGED = 'composition.reads';

/** Another lane changes files that this one reads. */
export interface SiblingChange {
  /** The other lane's key. */
  readonly with: string;
  readonly paths: readonly string[];
}

export const laneNewsStore = preparedOnce(prepare);

function prepare({ db }: Store) {
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
