/** What the watcher asks about a lane, among the lane's own questions. */
import { attemptStore } from '../../store/attempts.ts';
import { laneReportStore, type Report } from '../../store/lane-events.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { LaneContext } from '../spec/context.ts';
import { recordReport } from '../talk/say.ts';

/** Who acts for pull requests, in events and questions. */
export const WATCHER = 'lanehold pull requests';

const openOf = ({ store }: Pick<LaneContext, 'store'>, laneId: string): Report[] =>
  laneReportStore(store)
    .ofLane(laneId)
    .filter(({ kind, answeredAt }) => kind === 'ask' && answeredAt === null);

export function askAbout(context: LaneContext, { id }: Pick<LaneView, 'id'>, text: string): void {
  const lane = laneStore(context.store).byId(id);
  if (lane === undefined) return;
  const attempt = attemptStore(context.store).lastOf(lane) ?? null;
  recordReport(context, { lane, attempt }, { kind: 'ask', text, by: WATCHER });
}

/** Whether all that is asked about a lane is asked here. */
export const asksAlone = (context: Pick<LaneContext, 'store'>, laneId: string): boolean =>
  openOf(context, laneId).every(({ by }) => by === WATCHER);

/** Answers what something else has settled; no worker is started for it. Call it in a transaction. */
export function settleQuestions(context: LaneContext, laneId: string, answer: string): void {
  const reports = laneReportStore(context.store);
  for (const { id, by } of openOf(context, laneId)) {
    if (by !== WATCHER) continue;
    reports.answer(id, answer, WATCHER, context.now());
    reports.markDelivered(id, context.now());
  }
}
