import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder that only its owner may read, and those above it that are missing. One that is
 * there keeps its permissions: it may be anybody's, `LANEHOLD_HOME=/tmp` for one.
 *
 * Node's own `recursive` never returns where the parent exists and still takes no folders (`/proc`).
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
    // Another process may have been quicker.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
