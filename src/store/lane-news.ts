/** What lanes were told of each other's changes: read only. */
import { preparedOnce, type Store } from './open.ts';

/** The event by which a lane is told so; its data is a `SiblingChange`. */
export const READ_CHANGED = 'composition.reads';

/** A sibling changes files that the lane builds on. */
export interface SiblingChange {
  /** The sibling's key. */
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
