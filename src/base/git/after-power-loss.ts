/**
 * Repairs a repository after a power loss, which may leave empty files if git did not wait for the
 * disk. git takes an empty object file for a good one and would build unreadable commits on it.
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Git } from './git.ts';

/**
 * Deletes empty object files: no object is empty, and git writes missing ones again.
 *
 * @param objects the folder `objects` of the common git directory.
 */
export function dropEmptyObjects(objects: string): void {
  const folders = readdirSync(objects).filter((name) => /^[0-9a-f]{2}$/.test(name));
  for (const folder of folders) {
    // A git that runs now writes its objects under other names first.
    const names = readdirSync(join(objects, folder)).filter((name) => /^[0-9a-f]{38,}$/.test(name));
    for (const name of names) dropIfEmpty(join(objects, folder, name));
  }
}

/**
 * Replaces an empty index. git writes the index after the files, so the files stay as they are.
 *
 * @param commit the commit that the new index tracks; the branch may be unreadable.
 */
export async function mendEmptyIndex(git: Git, gitDir: string, commit: string): Promise<void> {
  if (dropIfEmpty(join(gitDir, 'index'))) await git.text(['read-tree', commit]);
}

/** Deletes an empty file, such as a ref, which could be neither read nor moved. @param file absolute path. */
export function dropIfEmpty(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile() || stats.size > 0) return false;
  rmSync(file, { force: true });
  return true;
}
