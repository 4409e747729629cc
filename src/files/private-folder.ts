import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder that only its owner may read, and the missing folders above it. An existing folder
 * keeps its permissions: it may be shared, as with `LANEHOLD_HOME=/tmp`.
 *
 * Node's `recursive` never returns if the parent exists and takes no folders (`/proc`).
 *
 * @throws what the file system throws.
 */
export function makePrivateFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (parent !== path) makePrivateFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
