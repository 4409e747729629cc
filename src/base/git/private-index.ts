/** An index of git beside the one of the working tree, in which files are looked at and that one stays as it is. */
import { copyFileSync, statSync, utimesSync } from 'node:fs';
import { asOptions, type Git } from './git.ts';

/**
 * The copy is dated a little before the original. git checks the content of files that are not older
 * than the index, and a file may have changed in the very moment in which the index was written.
 *
 * @see https://git-scm.com/docs/racy-git
 */
export function copyIndex(own: string, copy: string): void {
  const written = Number(statSync(own, { bigint: true }).mtimeNs / 1000n - 1n) / 1_000_000;
  copyFileSync(own, copy);
  utimesSync(copy, written, written);
}

/** The whole index in one file, no hook for its writing; the untracked cache only helps repeated `git status`. */
export const INDEX_SETTINGS = asOptions([
  ...['core.splitIndex=false', 'core.untrackedCache=false', 'core.hooksPath=/dev/null'],
]);

/** @param lines what goes to its input; text is one character a byte. */
export async function updateIndex(
  git: Git,
  args: readonly string[],
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return;
  const input = Buffer.from(lines.map((line) => `${line}\0`).join(''), 'latin1');
  await git.bytes([...INDEX_SETTINGS, 'update-index', '-z', ...args], input);
}
