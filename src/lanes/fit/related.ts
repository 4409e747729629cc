/** Whether the merge of two changes may fail although git can merge them and each passes alone. */
import { posix } from 'node:path';
import picomatch from 'picomatch';
import type { Git } from '../../base/git/git.ts';
import { CHANGED_PATHS, listedBy, splitNul, textOf } from '../../base/git/paths.ts';
import { treesOf } from '../../base/git/plumbing.ts';

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

/** True if the changes share a folder other than the root: a README or a lock file there relates no lanes. */
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

/** Limits for a command line; larger changes are related by their folders. */
const MOST_FILES = 500;
const MOST_NAMES = 300;

type Head = Pick<Side, 'reads'> & { readonly sha: string };

/**
 * Compares one lane with each of others, with few starts of git for any number.
 *
 * @param others with the tree of the merge with each: it differs from one side by what the other has changed.
 */
export async function sidesOf(
  git: Git,
  own: Head,
  others: readonly (Head & { readonly tree: string })[],
) {
  const shas = others.map(({ sha }) => sha);
  const [ours, theirs] = await changedBySides(git, own.sha, others);
  const found: Mention[] = [];
  const names = namesOf([...ours, ...theirs].flat());
  for (const these of ours.flat().length === 0 ? [] : batches(theirs)) {
    const files = [ours.flat(), these.flatMap((n) => theirs[n] ?? [])];
    const trees = [own.sha, ...these.map((n) => shas[n] ?? '')];
    found.push(...(await mentionsIn(git, trees, files, names)));
  }
  const sideOf = ({ sha, reads }: Head, changed: readonly string[]) => {
    const paths = new Set(changed);
    const inIt = found.filter((it) => it.sha === sha && paths.has(it.path));
    return { changed, reads, mentions: [...new Set(inIt.map(({ name }) => name))] };
  };
  return others.map((other, n): [Side, Side] => [
    sideOf(own, ours[n] ?? []),
    sideOf(other, theirs[n] ?? []),
  ]);
}

/** Files that both have added to one folder with one number, such as migrations, whose order is then uncertain. */
export async function sameNumbers(git: Git, a: string, b: string): Promise<string[]> {
  const fork = (await git.maybe(['merge-base', a, b]))?.trim();
  if (fork === undefined) return [];
  const addedIn = (sha: string) => listedBy(git, [...CHANGED_PATHS, '--diff-filter=A', fork, sha]);
  const [ours, theirs] = await Promise.all([addedIn(a), addedIn(b)]);
  return ours.flatMap((own) => theirs.flatMap((it) => (areOfOneNumber(own, it) ? [own, it] : [])));
}

/** True for `migrations/0007_a.sql` and `migrations/0007_b.sql`; a date has further numbers. */
export function areOfOneNumber(a: string, b: string): boolean {
  const [one, other] = [a, b].map((it) =>
    /^(.*\/)?V?0*(\d+)[-_.]+(?!\d).*(\.\w+)$/.exec(it)?.slice(1),
  );
  return one !== undefined && a !== b && `${one}` === `${other}`;
}

/** Positions of the others, in groups that have not too many files. */
function batches(changed: readonly (readonly string[])[]): number[][] {
  const all: number[][] = [];
  let files = Infinity;
  for (const [n, { length }] of changed.entries()) {
    if (files + length > MOST_FILES) {
      all.push([]);
      files = 0;
    }
    all.at(-1)?.push(n);
    files += length;
  }
  return all;
}

/** The paths that this side has changed, and those of the other side, for each merge. */
async function changedBySides(
  git: Git,
  own: string,
  others: readonly { readonly sha: string; readonly tree: string }[],
): Promise<[ours: string[][], theirs: string[][]]> {
  const [ownTree, ...trees] = await treesOf(git, [own, ...others.map(({ sha }) => sha)]);
  const asked = [
    ...others.map(({ tree }, n) => `${trees[n]} ${tree}`),
    ...others.map(({ tree }) => `${ownTree} ${tree}`),
  ];
  const args = ['diff-tree', '--stdin', '-r', '-z', '--no-renames', '--name-only', ...WHOLE];
  const listed = textOf(await git.bytes(args, asked.map((it) => `${it}\n`).join('')));
  // Each part begins with its two trees in a line, after which every path ends with a NUL.
  const parts = listed.split(
    /^[0-9a-f]{40,64} [0-9a-f]{40,64}\n|(?<=\0)[0-9a-f]{40,64} [0-9a-f]{40,64}\n/m,
  );
  const changed = parts.slice(1).map(splitNul);
  return [changed.slice(0, others.length), changed.slice(others.length)];
}

const WHOLE = ['--ignore-submodules=none'];

interface Mention extends Readonly<Record<'sha' | 'path' | 'name', string>> {}

/** Which of the names occur as whole words in these files of the commits. */
async function mentionsIn(
  git: Git,
  shas: readonly string[],
  files: readonly (readonly string[])[],
  names: readonly string[],
): Promise<Mention[]> {
  if (names.length === 0) return [];
  const scope = files.flatMap((it) => [...new Set(it)].slice(0, MOST_FILES));
  const patterns = names.slice(0, MOST_NAMES).flatMap((name) => ['-e', name]);
  const search = ['grep', '-o', '-z', '-I', '-w', '-F', '--no-recurse-submodules', ...patterns];
  const found = await git.maybe(['--literal-pathspecs', ...search, ...shas, '--', ...scope]);
  const more = await mentionsIn(git, shas, files, names.slice(MOST_NAMES));
  // The output has `<commit>:<path>`, a NUL, and the match to the end of the line.
  const mentions = [...(found ?? '').matchAll(/([0-9a-f]+):([^\0]*)\0(.*)\n/g)].map(
    ([, sha = '', path = '', name = '']) => ({ sha, path, name }),
  );
  return [...mentions, ...more];
}
