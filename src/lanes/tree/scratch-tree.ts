/** Trees in which merges are validated: their names, their locks, and whether they are in use. */
import { join } from 'node:path';
import type { AttemptPlace } from '../../agents/worker/environment.ts';
import type { Home } from '../../base/files/home.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { endMarkedProcesses } from '../../base/process/end-tree.ts';
import { type HeldLock, probeLock, takeLock } from '../../base/process/held-lock.ts';
import { leasePorts } from '../../base/process/ports.ts';
import { defaultSlots, heldSlots } from '../../base/process/slots.ts';
import type { Run } from '../../store/lanes.ts';
import { attemptDir } from '../spec/paths.ts';

export const PURPOSES = ['integration', 'composition'] as const;

export type TreePurpose = (typeof PURPOSES)[number];

export function scratchTree(home: Home, purpose: TreePurpose, run: Pick<Run, 'id'>) {
  const marker = `${purpose}-${run.id}`;
  const lock = join(home.locks, `${marker}.lock`);
  return {
    /** Replaces an attempt's id: as the process marker, and as the name of the log folder. */
    marker,
    dir: attemptDir(home, marker),
    /**
     * The lock of the tree; `undefined` if it is in use. A run has one integration at a time, because two would
     * validate the same batch twice. The tip is still moved by compare-and-swap, since others can move a ref without
     * this lock.
     */
    take(): HeldLock | undefined {
      makePrivateFolder(home.locks);
      return takeLock(lock);
    },
    /** Whether it is busy; true if that cannot be determined. */
    isBusy: (): boolean => ['held', 'unknown'].includes(probeLock(lock)),
  };
}

export function purposeOfMarker(marker: string) {
  const purpose = PURPOSES.find((it) => marker.startsWith(`${it}-`));
  return purpose && { purpose, runId: marker.slice(purpose.length + 1) };
}

/** The environment of processes of an attempt, or of none: a marker, ports, the home. */
export type Surroundings = Omit<AttemptPlace, 'stage' | 'worktree'>;

const GRACE_MS = 1_000;

/**
 * Runs `work` with a marker in place of an attempt's id, and with ports of its own. Processes that it leaves are ended,
 * and before it begins also those of a killed one, which would use the ports.
 */
export async function withoutAttempt<T>(
  home: Home,
  { marker, run, ports }: Readonly<{ marker: string; run: Pick<Run, 'id'>; ports: number }>,
  work: (surroundings: Surroundings) => Promise<T>,
): Promise<T> {
  await endMarkedProcesses(marker, { graceMs: GRACE_MS });
  const lease = await leasePorts(home.locks, ports);
  const ids = { attempt: marker, lane: '', run: run.id };
  try {
    return await work({ ...ids, home: home.root, ports: lease.ports });
  } finally {
    lease.release();
    await endMarkedProcesses(marker, { graceMs: GRACE_MS });
  }
}

/** @param slots the number of concurrent validations on this machine; by default derived from it. */
export function hasFreeSlot(home: Home, slots = defaultSlots().validate): boolean {
  return heldSlots(home.locks, 'validate') < slots;
}
