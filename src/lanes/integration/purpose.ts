/** What the working trees are for in which nobody works, and what goes by that name. */
import { join } from 'node:path';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { type HeldLock, probeLock, takeLock } from '../../store/held-lock.ts';
import type { Home } from '../../store/home.ts';
import type { Run } from '../../store/runs.ts';
import { attemptDir, locksOf } from '../paths.ts';

export const PURPOSES = ['integration', 'composition'] as const;

export type TreePurpose = (typeof PURPOSES)[number];

/** In place of an attempt: the mark of what is started there, and the name of its log folder. */
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

/** Beside the lanes' trees; no lane is named like this. */
export const purposeFolder = (purpose: TreePurpose): string => `@${purpose}`;

/** What git is told why the tree is locked. */
export const purposeReason = (purpose: TreePurpose, { name }: Pick<Run, 'name'>): string =>
  `lanehold:${purpose} of ${name}`;

export const compositionRefs = ({ id }: Pick<Run, 'id'>): string =>
  `refs/lanehold/${id}/@composition/`;

const lockFile = (home: Home, purpose: TreePurpose, run: Pick<Run, 'id'>): string =>
  join(locksOf(home), `${purposeMarker(purpose, run)}.lock`);

/** Whoever uses the tree holds it. `undefined`: somebody does. */
export function takePurposeLock(
  home: Home,
  purpose: TreePurpose,
  run: Pick<Run, 'id'>,
): HeldLock | undefined {
  makePrivateFolder(locksOf(home));
  return takeLock(lockFile(home, purpose, run));
}

/** Where that cannot be known, somebody is taken to be at it. */
export function isPurposeBusy(home: Home, purpose: TreePurpose, run: Pick<Run, 'id'>): boolean {
  const state = probeLock(lockFile(home, purpose, run));
  return state === 'held' || state === 'unknown';
}
