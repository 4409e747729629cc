/** Which lane a session works inside: what the marks say, as far as the store knows it. */
import { type Attempt, attemptStore, isLive } from '../../store/attempts.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import { type Run, runStore } from '../../store/runs.ts';
import type { LaneMark } from './lane-mark.ts';

export interface InsideLane {
  readonly run: Run;
  readonly lane: LaneView;
  /** `null` where somebody works in the lane's tree whom lanehold did not start. */
  readonly attempt: Attempt | null;
  readonly worktree: string;
}

/**
 * `undefined` unless the store knows the lane as the mark has it. An attempt that has ended counts:
 * what outlives it must not be allowed more than it was.
 */
export function insideLane(store: Store, mark: LaneMark): InsideLane | undefined {
  return mark.by === 'environment' ? ofAttempt(store, mark) : ofAdopted(store, mark.worktree);
}

function ofAttempt(
  store: Store,
  mark: LaneMark & { readonly by: 'environment' },
): InsideLane | undefined {
  const attempt = attemptStore(store).byId(mark.attempt);
  if (attempt?.laneId !== mark.lane || attempt.worktree !== mark.worktree) return undefined;
  return withRun(store, laneStore(store).byId(attempt.laneId), attempt, attempt.worktree);
}

function ofAdopted(store: Store, worktree: string): InsideLane | undefined {
  const lane = laneStore(store).byWorktree(worktree);
  if (!lane?.adopted || lane.state === 'cancelled' || lane.state === 'landed') return undefined;
  const inside = withRun(store, lane, null, worktree);
  return inside !== undefined && isOpen(inside.run) ? inside : undefined;
}

/**
 * The same for a command that somebody runs by hand in the working tree of a lane: adopted or not,
 * and with the attempt that is at work there, if one is.
 */
export function laneOfWorktree(store: Store, worktree: string): InsideLane | undefined {
  const lane = laneStore(store).byWorktree(worktree);
  const last = lane?.attemptId ? attemptStore(store).byId(lane.attemptId) : undefined;
  return withRun(store, lane, last !== undefined && isLive(last) ? last : null, worktree);
}

function withRun(
  store: Store,
  lane: LaneView | undefined,
  attempt: Attempt | null,
  worktree: string,
): InsideLane | undefined {
  const run = lane && runStore(store).byId(lane.runId);
  return lane && run && { run, lane, attempt, worktree };
}

function isOpen({ intent }: Run): boolean {
  return intent === 'active' || intent === 'paused';
}
