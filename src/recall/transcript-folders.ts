/** Which of the folders that sessions worked in are of a project. */
import { sep } from 'node:path';
import type { Environment } from '../base/environment.ts';
import { attempt } from '../base/errors.ts';
import { projectPlace } from '../base/git/project.ts';
import { isWithin } from '../base/git/tree-entry.ts';
import type { Workspace } from '../features/workspace.ts';
import { laneMark } from '../lanes/spec/lane-mark.ts';
import { transcriptFileStore } from '../store/transcript-files.ts';

export interface Folders {
  /** The root of the working tree; `undefined` if it is of another project, or of a lane. */
  rootOf(folder: string): string | undefined;
}

/** @param roots of the project's working trees. */
export function foldersOf(
  { place, store }: Workspace,
  { roots, env }: { readonly roots: readonly string[]; readonly env: Environment },
): Folders {
  const ofWorkers = transcriptFileStore(store).worktreesOfWorkers();
  const known = new Map<string, string | undefined>();

  function rootOf(folder: string): string | undefined {
    if (ofWorkers.some((it) => isWithin(it, folder))) return undefined;
    const found = attempt(() => projectPlace(folder));
    // Of a folder that is gone only its name tells.
    if (found === undefined) return roots.find((it) => folder.startsWith(it + sep));
    // The marks of the present environment are not those of the session.
    const isLane = laneMark({ HOME: env.HOME }, folder) !== undefined;
    return found.identity === place.identity && !isLane ? found.root : undefined;
  }

  return {
    rootOf(folder) {
      if (!known.has(folder)) known.set(folder, rootOf(folder));
      return known.get(folder);
    },
  };
}
