import { laneEventStore, type NewLaneEvent } from '../store/lane-events.ts';
import type { LaneContext } from './context.ts';

/** Adds an event of a lane; call it in the transaction of the change. */
export function addLaneEvent(
  { store, now }: Pick<LaneContext, 'store' | 'now'>,
  { id: laneId, runId }: { readonly id: string; readonly runId: string },
  event: Omit<NewLaneEvent, 'runId' | 'laneId'>,
): void {
  laneEventStore(store).add({ ...event, runId, laneId }, now());
}
