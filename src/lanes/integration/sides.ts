/** Reads from git what two commits have changed since their merge base, and which names they share. */
import type { Git } from '../../git/git.ts';
import { changedBetween } from '../../git/paths.ts';
import { namesOf, type Side } from './related.ts';

interface Head {
  readonly sha: string;
  readonly reads: readonly string[];
}

/** Limits of a command line; two changes that large are related by their folders. */
const MOST_FILES = 500;
const MOST_NAMES = 300;

export async function sidesOf(git: Git, a: Head, b: Head): Promise<[Side, Side]> {
  const fork = (await git.maybe(['merge-base', a.sha, b.sha]))?.trim();
  const [ours, theirs] = await Promise.all(
    [a, b].map(({ sha }) => (fork === undefined ? [] : changedBetween(git, fork, sha))),
  );
  const [changedA, changedB] = [ours ?? [], theirs ?? []];
  const [mentionsA, mentionsB] = await Promise.all([
    mentionsIn(git, a.sha, changedA, namesOf(changedB)),
    mentionsIn(git, b.sha, changedB, namesOf(changedA)),
  ]);
  return [
    { changed: changedA, mentions: mentionsA, reads: a.reads },
    { changed: changedB, mentions: mentionsB, reads: b.reads },
  ];
}

/** Which of the names occur as whole words in these files of the commit. */
async function mentionsIn(
  git: Git,
  sha: string,
  files: readonly string[],
  names: readonly string[],
): Promise<string[]> {
  if (files.length === 0 || names.length === 0) return [];
  const patterns = names.slice(0, MOST_NAMES).flatMap((name) => ['-e', name]);
  const search = ['grep', '-o', '-h', '-I', '-w', '-F', '--no-recurse-submodules', ...patterns];
  const scope = files.slice(0, MOST_FILES);
  const found = await git.maybe(['--literal-pathspecs', ...search, sha, '--', ...scope]);
  return [...new Set((found ?? '').split('\n'))].filter((name) => name !== '');
}
