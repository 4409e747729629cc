/** The purposes of scratch working trees: their names, their locks, and whether they are in use. */
import { join } from 'node:path';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { defaultSlots, slotHolders } from '../../process/slots.ts';
import { type HeldLock, probeLock, takeLock } from '../../store/held-lock.ts';
import type { Home } from '../../store/home.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../model/context.ts';
import { attemptDir, locksOf } from '../model/paths.ts';

export const PURPOSES = ['integration', 'composition'] as const;

export type TreePurpose = (typeof PURPOSES)[number];

/** Used in place of an attempt's id: as the process marker, and as the name of the log folder. */
export const purposeMarker = (purpose: TreePurpose, { id }: Pick<Run, 'id'>): string =>
  `${purpose}-${id}`;

export function purposeOfMarker(
  marker: string,
): { readonly purpose: TreePurpose; readonly runId: string } | undefined {
  const purpose = PURPOSES.find((it) => marker.startsWith(`${it}-`));
  return purpose && { purpose, runId: marker.slice(purpose.length + 1) };
}

export const purposeDir = (home: Home, purpose: TreePurpose, run: Pick<Run, 'id'>): string =>
  attemptDir(home, purposeMarker(purpose, run));

export const compositionRefs = ({ id }: Pick<Run, 'id'>): string =>
  `refs/lanehold/${id}/@composition/`;

const lockFile = (home: Home, purpose: TreePurpose, run: Pick<Run, 'id'>): string =>
  join(locksOf(home), `${purposeMarker(purpose, run)}.lock`);

/**
 * Held while the tree is used; `undefined` if it is in use. One integration of a run at a time: two would
 * validate the same batch twice. The tip is moved by compare-and-swap all the same, since others can
 * move a ref without this lock.
 */
export function takePurposeLock(
  home: Home,
  purpose: TreePurpose,
  run: Pick<Run, 'id'>,
): HeldLock | undefined {
  makePrivateFolder(locksOf(home));
  return takeLock(lockFile(home, purpose, run));
}

/** Taken as busy where that cannot be determined. */
export function isPurposeBusy(home: Home, purpose: TreePurpose, run: Pick<Run, 'id'>): boolean {
  const state = probeLock(lockFile(home, purpose, run));
  return state === 'held' || state === 'unknown';
}

export interface Probe {
  readonly run: Run;
  readonly laneId: string;
  /** The lane's newest checkpoint, or its head. */
  readonly sha: string;
  /** How many validations may run at once on this machine; derived from the machine by default. */
  readonly slots?: number | undefined;
  readonly signal: AbortSignal;
}

export function hasFreeSlot({ store }: LaneContext, { slots }: Pick<Probe, 'slots'>): boolean {
  const held = slotHolders(locksOf(store.home)).filter(({ kind }) => kind === 'validate');
  return held.length < (slots ?? defaultSlots().validate);
}

/** Neither a slot nor the scratch tree would have to be waited for. */
export function mayValidate(context: LaneContext, probe: Pick<Probe, 'run' | 'slots'>): boolean {
  return (
    hasFreeSlot(context, probe) && !isPurposeBusy(context.store.home, 'composition', probe.run)
  );
}
