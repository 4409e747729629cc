/** No room on a disk is no fault of the work: it stays where it is, and its lane waits for room. */
import { setTimeout as delay } from 'node:timers/promises';
import { endMarkedProcesses } from '../../process/end-tree.ts';
import { isLive } from '../../store/attempts.ts';
import { isDiskFullError } from '../../store/errors.ts';
import type { Home } from '../../store/home.ts';
import { failedOnFullDisk as isStoreDiskFull, spendReserve } from '../../store/reserve.ts';
import { foldersOf, shortage } from '../disk-space.ts';
import { finish } from './finish.ts';
import { leaveIfPossible } from './leave-tree.ts';
import { STARTED_STAGES } from './stages.ts';
import type { Supervision } from './supervision.ts';

const GRACE_MS = 2_000;
const AGAIN_MS = 1_000;
/** Some ten minutes. Then the next tick that has room starts another supervisor. */
const TRIES = 600;

export const writtenFolders = (it: Supervision): readonly string[] =>
  foldersOf(it.context, it.run(), it.attempt().worktree);

/** Why a step failed, if it was for want of room: many programs fail then without a word of it. */
export function failedOnFullDisk(it: Supervision, error: unknown): string | undefined {
  const short = shortage(writtenFolders(it));
  if (short !== undefined) return short;
  return isDiskFullError(error) && error instanceof Error ? error.message : undefined;
}

/** Ends what would take it at once, then gives up the reserve. */
export async function freeDiskSpace(it: Supervision): Promise<void> {
  await freeDiskSpaceOf(it.context.store.home, it.attemptId);
  it.resources.releaseSlot();
}

async function freeDiskSpaceOf(home: Home, attemptId: string): Promise<void> {
  await endMarkedProcesses(attemptId, { stages: STARTED_STAGES, graceMs: GRACE_MS });
  spendReserve(home);
}

/** The first word of a supervisor, which already holds its lock: without it nobody is in charge. */
export async function firstWord<T>(home: Home, attemptId: string, write: () => T): Promise<T> {
  try {
    return write();
  } catch (error) {
    if (!isStoreDiskFull(home, error)) throw error;
  }
  await freeDiskSpaceOf(home, attemptId);
  return await untilWritten(home, write);
}

/** Others may have taken even the reserve: then there is nothing else to do than to wait. */
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

export async function parkOnFullDisk(it: Supervision, why: string): Promise<void> {
  await leaveIfPossible(it, 'no room');
  await untilWritten(it.context.store.home, () => park(it, why));
}

function park(it: Supervision, why: string): void {
  const attempt = it.attempt();
  if (!isLive(attempt)) return;
  const { state } = attempt;
  if (state === 'starting' || state === 'running') {
    it.move('exited', { exit_source: 'supervisor', end_detail: `stop:disk ${why}` });
  }
  finish(it, { reason: 'parked', detail: `disk: ${why}` });
}
