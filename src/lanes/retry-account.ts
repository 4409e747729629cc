/** Lets a user say that an account has quota again, before its resume time. */
import { attemptStore } from '../store/attempts.ts';
import { breakerStore } from '../store/breakers.ts';
import { laneEventStore } from '../store/lane-events.ts';
import type { LaneView } from '../store/lanes.ts';
import type { LaneContext } from './context.ts';

/** One lane, parked for quota, may try now; the other lanes of the account wait for its result. */
export function retryAccountNow(context: LaneContext, lane: LaneView, by: string): void {
  const { store } = context;
  const last = lane.attemptId === null ? undefined : attemptStore(store).byId(lane.attemptId);
  if (lane.state !== 'parked' || last === undefined || last.account === null) return;
  const { account } = last;
  const breaker = breakerStore(store).get(account);
  const now = context.now();
  if (breaker === undefined || breaker.resumeAt <= now) return;
  store.write(() => {
    breakerStore(store).hurry(account, now);
    const { runId, id: laneId } = lane;
    laneEventStore(store).add(
      { runId, laneId, type: 'breaker.hurried', data: { account }, by },
      now,
    );
  });
}
