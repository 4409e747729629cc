/** What is written down of pull requests: events, and questions among the lane's own. */
import { laneEventStore, laneReportStore } from '../../store/lane-events.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import { type PullRequest, pullRequestStore } from '../../store/pull-requests.ts';
import type { LaneContext } from '../spec/context.ts';

/** Who acts for pull requests, in events and questions. */
export const WATCHER = 'lanehold pull requests';

/** Changes what is known of a pull request, and says so in an event; call it in a transaction. */
export function notePull(
  { store, now }: LaneContext,
  pull: PullRequest,
  change: Partial<PullRequest>,
  { type, data = {} }: { readonly type: string; readonly data?: object },
): void {
  pullRequestStore(store).change(pull, change);
  const { runId, laneId, number } = pull;
  const event = { runId, laneId, type, data: { number, ...data }, by: WATCHER };
  laneEventStore(store).add(event, now());
}

export function laneOf({ store }: LaneContext, { laneId }: PullRequest): LaneView | undefined {
  return laneId === null ? undefined : laneStore(store).byId(laneId);
}

/** Answers what something else has settled; no worker is started for it. Call it in a transaction. */
export function settleQuestions({ store, now }: LaneContext, laneId: string, answer: string): void {
  const reports = laneReportStore(store);
  const own = reports.ofLane(laneId).filter(({ kind, by }) => kind === 'ask' && by === WATCHER);
  for (const { id } of own.filter(({ answeredAt }) => answeredAt === null)) {
    reports.answer(id, answer, WATCHER, now());
    reports.markDelivered(id, now());
  }
}
