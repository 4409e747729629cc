import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder that only its owner may read, and the missing folders above it. An existing folder
 * keeps its permissions: it may be shared, as with `LANEHOLD_HOME=/tmp`.
 *
 * @throws what the file system throws.
 */
export function makePrivateFolder(path: string): void {
  makeFolders(path, 0o700);
}

/**
 * Makes folders with other permissions. Node's `recursive` never returns if the parent exists and
 * accepts no folders (`/proc`).
 *
 * @returns the folders that were made, outermost first.
 */
export function makeFolders(path: string, mode = 0o777): string[] {
  if (isFolder(path)) return [];
  const made = dirname(path) === path ? [] : makeFolders(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
    return [...made, path];
  } catch (error) {
    // Another process may have made it meanwhile.
    if (isFolder(path)) return made;
    throw error;
  }
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
