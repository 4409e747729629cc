/** The newest commit of each lane: its newest checkpoint while it is at work, else its head. */
import { checkpointStore } from '../../store/checkpoints.ts';
import { type LaneState, type LaneView, laneStore } from '../../store/lanes.ts';
import type { LaneContext } from '../context.ts';

/** Not integrated yet. What is integrated is in the tip. */
const APART: ReadonlySet<LaneState> = new Set([
  ...(['starting', 'running', 'validating', 'parked', 'asks'] as const),
  ...(['verified', 'stale', 'integrating', 'conflict', 'culprit'] as const),
]);
const AT_WORK: ReadonlySet<LaneState> = new Set([
  ...(['starting', 'running', 'validating', 'parked', 'asks'] as const),
]);

export interface LaneHead {
  readonly lane: LaneView;
  readonly sha: string;
}

/** Of the lanes that may still conflict. */
export function headsOf({ store }: Pick<LaneContext, 'store'>, runId: string): LaneHead[] {
  const checkpoints = checkpointStore(store);
  return laneStore(store)
    .ofRun(runId)
    .filter(({ state }) => APART.has(state))
    .flatMap((lane) => {
      const last = AT_WORK.has(lane.state) ? checkpoints.last(lane.id) : undefined;
      const sha = last?.attemptId === lane.attemptId ? last?.sha : undefined;
      const head = sha ?? lane.headSha;
      return head === null ? [] : [{ lane, sha: head }];
    });
}
