/** A second index of git, with which files are read while the working tree's own stays as it is. */
import { copyFileSync, statSync, utimesSync } from 'node:fs';
import { asOptions, type Git } from './git.ts';

/**
 * Copies an index and dates the copy a little before the original. git checks the content of files that are not older
 * than the index, and a file may have changed in the moment in which the index was written.
 *
 * @see https://git-scm.com/docs/racy-git
 */
export function copyIndex(own: string, copy: string): void {
  const written = Number(statSync(own, { bigint: true }).mtimeNs / 1000n - 1n) / 1_000_000;
  copyFileSync(own, copy);
  utimesSync(copy, written, written);
}

/**
 * Settings for an index in one file, in a version that `index-file.ts` reads, without a hook after
 * its writing and without an untracked cache.
 */
export const INDEX_SETTINGS = asOptions([
  ...['core.splitIndex=false', 'core.untrackedCache=false', 'core.hooksPath=/dev/null'],
  'index.version=2',
]);

/** @param lines the input; a text has one character for each byte. */
export async function updateIndex(
  git: Git,
  args: readonly string[],
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return;
  const input = Buffer.from(lines.map((line) => `${line}\0`).join(''), 'latin1');
  await git.bytes([...INDEX_SETTINGS, 'update-index', '-z', ...args], input);
}
