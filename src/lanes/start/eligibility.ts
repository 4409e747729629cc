/** What should be started now. Read-only, and fast enough for a hook. */

import { probeLock } from '../../base/process/held-lock.ts';
import { bootId } from '../../base/process/process-entry.ts';
import { type Attempt, attemptStore } from '../../store/attempts.ts';
import { type LaneView, laneStore, type Run, runStore } from '../../store/lanes.ts';
import { type LaneContext, wasSetBack } from '../spec/context.ts';
import { pullLock, supervisorLock } from '../spec/paths.ts';
import { foldersOf, hasDiskSpaceAgain } from '../tree/disk-space.ts';
import { isUsedUp } from './accounts.ts';

/** Live attempts without a supervisor: their lock is free, or the machine was restarted. */
export function unattended(context: LaneContext): Attempt[] {
  return attemptStore(context.store)
    .live()
    .filter(({ bootId: begunIn, dir }) => {
      if (begunIn !== null && begunIn !== bootId()) return true;
      return ['free', 'missing'].includes(probeLock(supervisorLock(dir)));
    });
}

/** A watcher that was just started may not have its lock yet. */
export const WATCHER_EVERY_MS = 10_000;

/** Ids of runs with pull requests and no watcher. */
export const unwatched = ({ store, now }: Pick<LaneContext, 'store' | 'now'>): string[] =>
  runStore(store)
    .withOpenPulls(now().getTime() - WATCHER_EVERY_MS)
    .filter((id) => probeLock(pullLock(store.home, id)) !== 'held');

/** Due lanes, in order of priority; whether they may start is checked at the start. */
export function dueLanes(context: LaneContext): { readonly run: Run; readonly lane: LaneView }[] {
  const lanes = laneStore(context.store);
  const runs = runStore(context.store).openEverywhere();
  return runs.flatMap((run) => {
    if (run.intent !== 'active') return [];
    const unmet = lanes.unmetOfRun(run.id);
    return lanes
      .ofRun(run.id)
      .filter((lane) => isDue(context, run, lane, unmet.has(lane.id)))
      .sort((a, b) => b.priority - a.priority || a.position - b.position)
      .map((lane) => ({ run, lane }));
  });
}

function isDue(context: LaneContext, run: Run, lane: LaneView, isUnmet: boolean): boolean {
  if (lane.state === 'ready') return true;
  // A dependency has changed: the verified work is put on top of it and validated again.
  if (lane.state === 'stale') return !isUnmet && isRestackable(context, lane);
  if (lane.state !== 'parked' || lane.intent !== 'run') return false;
  const last = attemptStore(context.store).lastOf(lane);
  if (last === undefined) return false;
  if (last.endCause === 'paused' || last.endCause === 'setup') return true;
  if (last.endCause === 'disk') return mayRetryAfterFullDisk(context, run, lane, last);
  return isResumeDue(context, last) || mayGoOnElsewhere(context, run, lane);
}

/** Whether a lane whose account is used up may continue with the opposite agent, until that is used up, too. */
function mayGoOnElsewhere(context: LaneContext, { policy }: Run, { id }: LaneView): boolean {
  if (policy.onLimit !== 'opposite') return false;
  const usedUp = attemptStore(context.store)
    .ofLane(id)
    .filter(({ endCause, account }) => endCause === 'quota' && isUsedUp(context, account));
  return new Set(usedUp.map(({ account }) => account)).size === 1;
}

/** Whether to resume. A time that was set before the clock was set back may be days ahead, so it is tried now. */
function isResumeDue({ now }: LaneContext, { resumeAt, endedAt }: Attempt): boolean {
  if (resumeAt === null) return false;
  return resumeAt <= now() || (endedAt !== null && wasSetBack(endedAt, now()));
}

/** Whether to retry after a full disk; work that fills every disk is not retried for ever. */
function mayRetryAfterFullDisk(context: LaneContext, run: Run, lane: LaneView, last: Attempt) {
  const filled = attemptStore(context.store)
    .ofLane(lane.id)
    .filter(({ n, endCause }) => n > lane.wantsAfter && endCause === 'disk');
  if (filled.length >= run.policy.attempts) return false;
  return hasDiskSpaceAgain(foldersOf(context, run, last.worktree));
}

/** Whether all needs are verified, in a combination that was not tried yet: a failure would repeat. */
function isRestackable(context: LaneContext, lane: LaneView): boolean {
  const moved = laneStore(context.store).movedDeps(lane.id);
  if (moved.length === 0) return false;
  const last = attemptStore(context.store).lastOf(lane);
  return last?.kind !== 'validate' || moved.some(({ to }) => !last.flags.includes(to));
}
