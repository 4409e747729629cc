/** Which of the folders that sessions worked in are of a project. */
import { sep } from 'node:path';
import { attempt } from '../base/errors.ts';
import { projectPlace } from '../base/git/project.ts';
import { isWithin } from '../base/git/tree-entry.ts';
import type { Workspace } from '../features/workspace.ts';
import { transcriptFileStore } from '../store/transcript-files.ts';

export interface Folders {
  /** The root of the working tree; `undefined` if it is of another project, or of a lane. */
  rootOf(folder: string): string | undefined;
}

/** @param roots of the project's working trees. */
export function foldersOf(
  { place, store }: Workspace,
  { roots }: { readonly roots: readonly string[] },
): Folders {
  const ofLanes = transcriptFileStore(store).worktreesOfLanes();
  const isInLane = (path: string) => ofLanes.some((it) => isWithin(it, path));
  const known = new Map<string, string | undefined>();

  function rootOf(folder: string): string | undefined {
    if (isInLane(folder)) return undefined;
    const found = attempt(() => projectPlace(folder));
    // A folder that is gone is known by its name alone.
    if (found === undefined) return roots.find((it) => folder.startsWith(it + sep));
    return found.identity === place.identity && !isInLane(found.root) ? found.root : undefined;
  }

  return {
    rootOf(folder) {
      if (!known.has(folder)) known.set(folder, rootOf(folder));
      return known.get(folder);
    },
  };
}
