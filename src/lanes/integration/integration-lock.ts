/**
 * One integration of a run at a time: two would validate the same batch twice, in the same tree. The
 * tip is moved by compare-and-swap all the same, since others can move a ref without this lock.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { HeldLock } from '../../store/held-lock.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { takePurposeLock } from './purpose.ts';

const POLL_MS = 200;

export function takeIntegrationLock({ store }: LaneContext, run: Run): HeldLock | undefined {
  return takePurposeLock(store.home, 'integration', run);
}

/** Waits until the lock is free. @throws if the caller aborts. */
export async function waitForIntegrationLock(
  context: LaneContext,
  run: Run,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: () => void },
): Promise<HeldLock> {
  for (let waits = 0; ; waits += 1) {
    const lock = takeIntegrationLock(context, run);
    if (lock !== undefined) return lock;
    if (waits === 0) onWait();
    await sleep(POLL_MS, undefined, { signal });
  }
}
