/** The purposes of scratch working trees, and the names that follow from them. */
import { join } from 'node:path';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { type HeldLock, probeLock, takeLock } from '../../store/held-lock.ts';
import type { Home } from '../../store/home.ts';
import type { Run } from '../../store/runs.ts';
import { attemptDir, locksOf } from '../paths.ts';

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

/** A folder beside the lanes' trees; no lane's key begins with `@`. */
export const purposeFolder = (purpose: TreePurpose): string => `@${purpose}`;

/** git's lock reason of the tree. */
export const purposeReason = (purpose: TreePurpose, { name }: Pick<Run, 'name'>): string =>
  `lanehold:${purpose} of ${name}`;

export const compositionRefs = ({ id }: Pick<Run, 'id'>): string =>
  `refs/lanehold/${id}/@composition/`;

const lockFile = (home: Home, purpose: TreePurpose, run: Pick<Run, 'id'>): string =>
  join(locksOf(home), `${purposeMarker(purpose, run)}.lock`);

/** Held while the tree is used. `undefined` if it is in use. */
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
