/** What is written down of pull requests: events, and questions among the lane's own. */
import { attemptStore } from '../../store/attempts.ts';
import { laneEventStore, laneReportStore, type Report } from '../../store/lane-events.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import { type PullRequest, pullRequestStore } from '../../store/pull-requests.ts';
import type { LaneContext } from '../spec/context.ts';
import { recordReport } from '../talk/say.ts';

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

export function askAbout(context: LaneContext, lane: LaneView, text: string): void {
  const attempt = attemptStore(context.store).lastOf(lane) ?? null;
  recordReport(context, { lane, attempt }, { kind: 'ask', text, by: WATCHER });
}

const openOf = (store: Store, laneId: string): Report[] =>
  laneReportStore(store)
    .ofLane(laneId)
    .filter(({ kind, answeredAt }) => kind === 'ask' && answeredAt === null);

/** Whether all that is asked about a lane is asked here. */
export const asksAlone = (store: Store, laneId: string): boolean =>
  openOf(store, laneId).every(({ by }) => by === WATCHER);

/** Answers what something else has settled; no worker is started for it. Call it in a transaction. */
export function settleQuestions({ store, now }: LaneContext, laneId: string, answer: string): void {
  const reports = laneReportStore(store);
  for (const { id } of openOf(store, laneId).filter(({ by }) => by === WATCHER)) {
    reports.answer(id, answer, WATCHER, now());
    reports.markDelivered(id, now());
  }
}
