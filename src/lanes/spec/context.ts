import type { Environment } from '../../base/environment.ts';
import { laneEventStore, type NewLaneEvent } from '../../store/lane-events.ts';
import type { Store } from '../../store/open.ts';

export interface LaneContext {
  readonly store: Store;
  readonly env: Environment;
  readonly now: () => Date;
}

/** Adds an event of a lane; call it in the transaction of the change. */
export function addLaneEvent(
  { store, now }: Pick<LaneContext, 'store' | 'now'>,
  { id: laneId, runId }: { readonly id: string; readonly runId: string },
  event: Omit<NewLaneEvent, 'runId' | 'laneId'>,
): void {
  laneEventStore(store).add({ ...event, runId, laneId }, now());
}

/** Clocks are often corrected by small amounts. */
const TOLERANCE_MS = 60_000;

/** Whether the clock was set back since; the time since then is then unknown. */
export const wasSetBack = (noted: Date, now: Date): boolean =>
  noted.getTime() - now.getTime() > TOLERANCE_MS;
