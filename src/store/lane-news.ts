/** What lanes were told of each other's changes: read only. */
import type { Store } from './open.ts';
import { preparedOnce } from './prepared.ts';

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
  const events = db.prepare<[laneId: string, type: string, since: number], { data: string }>(
    'SELECT data FROM lane_events WHERE lane_id = ? AND type = ? AND at >= ? ORDER BY seq',
  );
  return {
    /** Oldest first. */
    changes: (laneId: string, since: Date): SiblingChange[] =>
      events.all(laneId, READ_CHANGED, since.getTime()).map(({ data }) => JSON.parse(data)),
  };
}
