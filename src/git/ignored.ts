/** What git does not look at. */
import { splitNul } from './diff.ts';
import { type Git, gitFailure } from './git.ts';

/** Untracked files that match the patterns of a file in the syntax of `.gitignore`. */
export async function untrackedMatching(git: Git, patterns: string): Promise<string[]> {
  const args = ['ls-files', '-z', '--others', '--ignored', `--exclude-from=${patterns}`];
  // A repository within has files of its own.
  return splitNul(await git.text(args)).filter((path) => !path.endsWith('/'));
}

/** Those of some paths that are ignored and not tracked, whether they are there or not. */
export async function ignoredAmong(
  git: Git,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const args = ['check-ignore', '-z', '--stdin'];
  const outcome = await git.attempt(args, paths.map((path) => `${path}\0`).join(''));
  // 1: none of them.
  if (outcome.exitCode > 1) throw gitFailure(args, outcome);
  return new Set(splitNul(outcome.stdout));
}

/** Ignored files; a folder in which everything is ignored stands for what is in it. */
export async function ignoredEntries(git: Git): Promise<string[]> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  return splitNul(await git.text(args)).map((path) => path.replace(/\/$/, ''));
}
