/** The lane in which a session works: a mark that the store confirms. */
import { type Attempt, attemptStore, isLive } from '../../store/attempts.ts';
import { type LaneView, laneStore, type Run, runStore } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import type { LaneMark } from './lane-mark.ts';

export interface InsideLane {
  readonly run: Run;
  readonly lane: LaneView;
  /** `null` if lanehold did not start the work in the lane's tree. */
  readonly attempt: Attempt | null;
  readonly worktree: string;
}

/**
 * The lane of a mark; `undefined` unless the store confirms it. An attempt that has ended still counts: a process that
 * lives longer must not be allowed more than before.
 */
export function insideLane(store: Store, mark: LaneMark): InsideLane | undefined {
  const { worktree } = mark;
  if (mark.by === 'environment') {
    const attempt = attemptStore(store).byId(mark.attempt);
    if (attempt?.laneId !== mark.lane || attempt.worktree !== worktree) return undefined;
    return withRun(store, laneStore(store).byId(mark.lane), { attempt, worktree });
  }
  const lane = laneStore(store).byWorktree(worktree);
  if (!lane?.adopted || lane.state === 'cancelled' || lane.state === 'landed') return undefined;
  const inside = withRun(store, lane, { attempt: null, worktree });
  const intent = inside?.run.intent;
  return intent === 'active' || intent === 'paused' ? inside : undefined;
}

/** The lane of a working tree, adopted or not, with its live attempt, if any. For commands run by hand. */
export function laneOfWorktree(store: Store, worktree: string): InsideLane | undefined {
  const lane = laneStore(store).byWorktree(worktree);
  const last = lane && attemptStore(store).lastOf(lane);
  return withRun(store, lane, { attempt: last && isLive(last) ? last : null, worktree });
}

function withRun(
  store: Store,
  lane: LaneView | undefined,
  work: Pick<InsideLane, 'attempt' | 'worktree'>,
): InsideLane | undefined {
  const run = lane && runStore(store).byId(lane.runId);
  return lane && run && { run, lane, ...work };
}
