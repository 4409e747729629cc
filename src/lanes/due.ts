/** What should be set going now: looked at without changing anything, as cheaply as a hook needs. */

import { bootId } from '../process/process-identity.ts';
import { type Attempt, attemptStore } from '../store/attempts.ts';
import { probeLock } from '../store/held-lock.ts';
import { type LaneView, laneStore } from '../store/lanes.ts';
import { type Run, runStore } from '../store/runs.ts';
import { wasSetBack } from './clock.ts';
import type { LaneContext } from './context.ts';
import { foldersOf, hasDiskSpaceAgain } from './disk-space.ts';
import { supervisorLock } from './paths.ts';

export interface DueLane {
  readonly run: Run;
  readonly lane: LaneView;
}

/** Attempts that nobody looks after. */
export function unattended(context: LaneContext): Attempt[] {
  return attemptStore(context.store).live().filter(needsSupervisor);
}

/** The lock is the truth: whoever held it has ended, or the machine has started anew. */
export function needsSupervisor(attempt: Attempt): boolean {
  if (attempt.bootId !== null && attempt.bootId !== bootId()) return true;
  const state = probeLock(supervisorLock(attempt.dir));
  return state === 'free' || state === 'missing';
}

/** Lanes whose time has come, first come first; whether they may start is asked when they do. */
export function dueLanes(context: LaneContext): DueLane[] {
  const runs = runStore(context.store)
    .openEverywhere()
    .filter(({ intent }) => intent === 'active');
  return runs.flatMap((run) => {
    const unmet = laneStore(context.store).unmetOfRun(run.id);
    return laneStore(context.store)
      .ofRun(run.id)
      .filter((lane) => isDue(context, run, lane, unmet))
      .sort((a, b) => b.priority - a.priority || a.position - b.position)
      .map((lane) => ({ run, lane }));
  });
}

function isDue(
  context: LaneContext,
  run: Run,
  lane: LaneView,
  unmet: ReadonlyMap<string, unknown>,
): boolean {
  if (lane.state === 'ready') return true;
  // A dependency has moved on: what was verified is put on top of it and validated again.
  if (lane.state === 'stale') return !unmet.has(lane.id) && isRestackable(context, lane);
  if (lane.state !== 'parked' || lane.intent !== 'run' || lane.attemptId === null) return false;
  const last = attemptStore(context.store).byId(lane.attemptId);
  if (last?.endDetail?.startsWith('paused') === true) return true;
  if (last?.endDetail?.startsWith('disk') === true) return mayFillDisk(context, run, last);
  return (
    last !== undefined && last.resumeAt !== null && hasCome(context, last.resumeAt, last.endedAt)
  );
}

/** A time that was told before the clock was set back may be days away: somebody finds out now. */
function hasCome({ now }: LaneContext, time: Date, told: Date | null): boolean {
  return time <= now() || (told !== null && wasSetBack(told, now()));
}

/** Once there is room again. What fills every disk is not given one for ever. */
function mayFillDisk(context: LaneContext, run: Run, last: Attempt): boolean {
  const lane = laneStore(context.store).byId(last.laneId);
  const filled = attemptStore(context.store)
    .ofLane(last.laneId)
    .filter(({ n, endDetail }) => n > (lane?.wantsAfter ?? 0) && endDetail?.startsWith('disk'));
  if (filled.length >= run.policy.attempts) return false;
  return hasDiskSpaceAgain(foldersOf(context, run, last.worktree));
}

/** Once all that it needs is verified, and once for what they are then: what failed fails again. */
function isRestackable(context: LaneContext, lane: LaneView): boolean {
  const moved = laneStore(context.store)
    .movedDeps(lane.id)
    .map(({ to }) => to);
  if (moved.length === 0) return false;
  const last = attemptStore(context.store).byId(lane.attemptId ?? '');
  return !(last?.kind === 'validate' && moved.every((sha) => last.flags.includes(sha)));
}
