/** Paths in a repository: of a tree, changed between two trees, ignored. */
import { type Git, gitFailure } from './git.ts';

/** A rename gives both its sides. */
export const CHANGED_PATHS = ['diff-tree', '-r', '-z', '--no-renames', '--name-only'] as const;

/** Paths whose content or mode differs between two trees. */
export async function changedBetween(git: Git, from: string, to: string): Promise<string[]> {
  return splitNul(await git.text([...CHANGED_PATHS, from, to]));
}

export function splitNul(text: string): string[] {
  const parts = text.split('\0');
  parts.pop(); // what follows the last NUL: nothing
  return parts;
}

/** NUL-ended lines of facts, a tab and a path, as `ls-files` and `ls-tree` print them. */
export function pathLines(text: string): { readonly facts: string; readonly path: string }[] {
  return splitNul(text).map((line) => {
    const tab = line.indexOf('\t');
    return { facts: line.slice(0, tab), path: line.slice(tab + 1) };
  });
}

/** Untracked files that match the patterns of a file in the syntax of `.gitignore`. */
export async function untrackedMatching(git: Git, patterns: string): Promise<string[]> {
  const args = ['ls-files', '-z', '--others', '--ignored', `--exclude-from=${patterns}`];
  // A nested repository is listed as a folder.
  return splitNul(await git.text(args)).filter((path) => !path.endsWith('/'));
}

/** Those of some paths that are ignored and not tracked. The files need not exist. */
export async function ignoredAmong(
  git: Git,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const args = ['check-ignore', '-z', '--stdin'];
  const outcome = await git.attempt(args, paths.map((path) => `${path}\0`).join(''));
  // Exit code 1: none of them.
  if (outcome.exitCode > 1) throw gitFailure(args, outcome);
  return new Set(splitNul(outcome.stdout));
}

/** Ignored files; a folder in which everything is ignored stands for what is in it. */
export async function ignoredEntries(git: Git): Promise<string[]> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  return splitNul(await git.text(args)).map((path) => path.replace(/\/$/, ''));
}
