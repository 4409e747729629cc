/** A full disk is no failure of the work: the tree is kept, and the lane waits for disk space. */
import { setTimeout as delay } from 'node:timers/promises';
import { endMarkedProcesses } from '../../process/end-tree.ts';
import type { Home } from '../../store/home.ts';
import { failedOnFullDisk, spendReserve } from '../../store/reserve.ts';
import { STARTED_STAGES } from './supervision.ts';

const GRACE_MS = 2_000;
const AGAIN_MS = 1_000;
/** About ten minutes. Afterwards the next reconcile with enough space starts another supervisor. */
const TRIES = 600;

/** Ends what may be filling the disk, then frees the reserve. */
export async function freeDiskSpace(home: Home, attemptId: string): Promise<void> {
  await endMarkedProcesses(attemptId, { stages: STARTED_STAGES, graceMs: GRACE_MS });
  spendReserve(home);
}

/** The first write of a supervisor. It holds the lock already, so it must not give up easily. */
export async function firstWrite<T>(home: Home, attemptId: string, write: () => T): Promise<T> {
  try {
    return write();
  } catch (error) {
    if (!failedOnFullDisk(home, error)) throw error;
  }
  await freeDiskSpace(home, attemptId);
  return await untilWritten(home, write);
}

/** Other programs may have used up the freed reserve, too: then all that is left is to wait. */
export async function untilWritten<T>(home: Home, write: () => T): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return write();
    } catch (error) {
      if (!failedOnFullDisk(home, error) || tries === TRIES) throw error;
    }
    await delay(AGAIN_MS);
    spendReserve(home);
  }
}
