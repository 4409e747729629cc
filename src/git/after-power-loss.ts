/**
 * What a power loss leaves of files that git does not wait for: names without content. git takes an
 * object that is there for a good one, and would build commits on it that nobody can ever read.
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Git, UNATTENDED } from './git.ts';

/**
 * Deletes the empty ones, which no object ever is: whoever needs them makes them again.
 *
 * @param objects folder of that name in the common git directory.
 */
export function dropEmptyObjects(objects: string): void {
  const folders = readdirSync(objects).filter((name) => /^[0-9a-f]{2}$/.test(name));
  for (const folder of folders) {
    // Under other names lie those that a git writes just now.
    const names = readdirSync(join(objects, folder)).filter((name) => /^[0-9a-f]{38,}$/.test(name));
    for (const name of names) dropIfEmpty(join(objects, folder, name));
  }
}

/** A ref that names nothing can neither be read nor moved. @param file its place as a file. */
export const dropEmptyRef = (file: string): void => void dropIfEmpty(file);

/**
 * git names an index last of all, so that all files were there: they stay as they are.
 *
 * @param commit what the index then tracks; the branch may not be readable.
 */
export async function mendEmptyIndex(git: Git, gitDir: string, commit: string): Promise<void> {
  if (dropIfEmpty(join(gitDir, 'index'))) await git.text([...UNATTENDED, 'read-tree', commit]);
}

function dropIfEmpty(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile() || stats.size > 0) return false;
  rmSync(file, { force: true });
  return true;
}
