/** Whether the merge of two changes may fail although git can merge them and each passes alone. */
import { posix } from 'node:path';
import picomatch from 'picomatch';
import type { Git } from '../../base/git/git.ts';
import { changedBetween } from '../../base/git/tree-objects.ts';

/** What one side has changed since the merge base. */
export interface Side {
  /** The files that were changed; a renamed one has both names. */
  readonly changed: readonly string[];
  /** Names of the other side's changed files (`namesOf`) that occur in this side's changed files. */
  readonly mentions: readonly string[];
  readonly reads: readonly string[];
}

export function related(a: Side, b: Side): boolean {
  return sharesFolder(a, b) || buildsOn(a, b) || buildsOn(b, a);
}

/** A folder counts, but not the root: a README or a lock file there does not relate two lanes. */
function sharesFolder(a: Side, b: Side): boolean {
  const own = new Set(a.changed);
  const folders = new Set(a.changed.map(posix.dirname).filter((it) => it !== '.'));
  return b.changed.some((path) => own.has(path) || folders.has(posix.dirname(path)));
}

function buildsOn(user: Side, used: Side): boolean {
  const names = new Set(namesOf(used.changed));
  if (user.mentions.some((name) => names.has(name))) return true;
  if (user.reads.length === 0) return false;
  const reads = picomatch([...user.reads], { dot: true });
  return used.changed.some((path) => reads(path));
}

/** Names of files that stand for their folder. */
const ENTRY = new Set(['index', 'main', 'mod', 'lib', '__init__', 'init', 'package']);
/** Shorter names occur everywhere. */
const MIN_LENGTH = 3;

/** How other files refer to these: by name, with and without extension. */
export function namesOf(paths: readonly string[]): string[] {
  const names = new Set<string>();
  for (const path of paths) {
    const file = posix.basename(path);
    const stem = file.replace(/(?<=.)\..*$/, '');
    const folder = posix.basename(posix.dirname(path));
    for (const name of ENTRY.has(stem) ? [folder] : [file, stem]) {
      if (name.length >= MIN_LENGTH && !/[\r\n]/.test(name)) names.add(name);
    }
  }
  return [...names];
}

/** Limits of a command line; two changes that large are related by their folders. */
const MOST_FILES = 500;
const MOST_NAMES = 300;

type Head = Pick<Side, 'reads'> & { readonly sha: string };

export async function sidesOf(git: Git, a: Head, b: Head): Promise<[Side, Side]> {
  const fork = (await git.maybe(['merge-base', a.sha, b.sha]))?.trim();
  const changedIn = async ({ sha }: Head): Promise<readonly string[]> =>
    fork === undefined ? [] : changedBetween(git, fork, sha);
  const [ours, theirs] = await Promise.all([changedIn(a), changedIn(b)]);
  const sideOf = async ({ sha, reads }: Head, changed: readonly string[], other: typeof ours) => {
    return { changed, reads, mentions: await mentionsIn(git, sha, changed, namesOf(other)) };
  };
  return Promise.all([sideOf(a, ours, theirs), sideOf(b, theirs, ours)]);
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
