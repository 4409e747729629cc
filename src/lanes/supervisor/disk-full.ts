/** A full disk is no failure of the work: the tree is kept, and the lane waits for disk space. */
import { setTimeout as delay } from 'node:timers/promises';
import { endMarkedProcesses } from '../../process/end-tree.ts';
import { isLive } from '../../store/attempts.ts';
import { isDiskFullError } from '../../store/errors.ts';
import type { Home } from '../../store/home.ts';
import { failedOnFullDisk as isStoreDiskFull, spendReserve } from '../../store/reserve.ts';
import { foldersOf, shortage } from '../scheduler/disk-space.ts';
import { leaveIfPossible } from './checkpoint.ts';
import { finish, stopOf } from './finish.ts';
import { STARTED_STAGES, type Supervision } from './supervision.ts';

const GRACE_MS = 2_000;
const AGAIN_MS = 1_000;
/** About ten minutes. Afterwards the next reconcile with enough space starts another supervisor. */
const TRIES = 600;

export const writtenFolders = (it: Supervision): readonly string[] =>
  foldersOf(it.context, it.run(), it.attempt().worktree);

/** Why a step failed, if the disk is full: many programs do not report it as the cause. */
export function failedOnFullDisk(it: Supervision, error: unknown): string | undefined {
  const short = shortage(writtenFolders(it));
  if (short !== undefined) return short;
  return isDiskFullError(error) && error instanceof Error ? error.message : undefined;
}

/** Ends what may be filling the disk, then frees the reserve. */
async function freeDiskSpace(home: Home, attemptId: string): Promise<void> {
  await endMarkedProcesses(attemptId, { stages: STARTED_STAGES, graceMs: GRACE_MS });
  spendReserve(home);
}

/** The first write of a supervisor. It holds the lock already, so it must not give up easily. */
export async function firstWrite<T>(home: Home, attemptId: string, write: () => T): Promise<T> {
  try {
    return write();
  } catch (error) {
    if (!isStoreDiskFull(home, error)) throw error;
  }
  await freeDiskSpace(home, attemptId);
  return await untilWritten(home, write);
}

/** Other programs may have used up the freed reserve, too: then all that is left is to wait. */
async function untilWritten<T>(home: Home, write: () => T): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return write();
    } catch (error) {
      if (!isStoreDiskFull(home, error) || tries === TRIES) throw error;
    }
    await delay(AGAIN_MS);
    spendReserve(home);
  }
}

/** @param cancel is called in place of parking if the lane is cancelled. */
export async function leaveFullDisk(
  it: Supervision,
  why: string,
  cancel: () => Promise<void>,
): Promise<void> {
  const { home } = it.context.store;
  await freeDiskSpace(home, it.attemptId);
  it.resources.releaseSlot();
  if (stopOf(it)?.kind === 'cancelled') return await cancel();
  await leaveIfPossible(it, 'disk full');
  await untilWritten(home, () => {
    const { state } = it.attempt();
    if (state === 'starting' || state === 'running') {
      it.move('exited', { exitSource: 'supervisor', endCause: 'disk', endDetail: why });
    }
    if (isLive(it.attempt())) finish(it, { reason: 'parked', cause: 'disk', detail: why });
  });
}
