/**
 * The content of a commit, the index or the working tree, as mode, oid and path of every file. Equal
 * entries are equal content, on any branch and machine.
 */
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError } from '../errors.ts';
import { withScratchFolder } from '../files/scratch-folder.ts';
import { enumerated } from '../text/printable.ts';
import { sha256 } from '../text/sha256.ts';
import type { Git } from './git.ts';
import { indexFileEntries } from './index-file.ts';
import { changesBetween, listedBy } from './paths.ts';
import { updateIndex } from './private-index.ts';
import { placeOfGit } from './project.ts';
import {
  listIndex,
  type RepositorySnapshot,
  type StatusEntry,
  snapshotOf,
} from './repository-snapshot.ts';
import { SUBMODULE, type TreeEntry, type TreePaths, withinAny } from './tree-entry.ts';

export const pathsAt = (git: Git, revision: string): Promise<string[]> =>
  listedBy(git, ['ls-tree', '-r', '-z', '--full-tree', '--name-only', revision]);

/** The paths of a commit by its changes since a known one, for which git is asked once. */
export async function pathsFrom(git: Git, known: string, commit: string): Promise<string[]> {
  const paths = new Set(await pathsAt(git, known));
  const changes = known === commit ? [] : await changesBetween(git, known, commit);
  for (const { status, path } of changes) {
    if (status === 'D') paths.delete(path);
    else paths.add(path);
  }
  return [...paths];
}

/** The content of the index: staged files, and committed ones that have not changed since. */
export async function indexTree(
  git: Git,
  scope: TreePaths,
  snapshot: RepositorySnapshot = snapshotOf(git),
): Promise<readonly TreeEntry[]> {
  if (scope.length === 0) return [];
  const isWanted = withinAny(scope);
  const index = (await snapshot.index()).filter(({ path }) => isWanted(path));
  if (!index.some((entry) => EMPTY_BLOBS.has(entry.oid))) return index;
  // `git add --intent-to-add` lists a file as empty, and a commit leaves it out.
  const args = ['diff-files', '--name-only', '--diff-filter=A', '-z'];
  const announced = new Set(await listedBy(git, args));
  return index.filter((entry) => !announced.has(entry.path));
}

/** The ids of the empty file in SHA-1 and SHA-256 repositories. */
const EMPTY_BLOBS: ReadonlySet<string> = new Set([
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
]);

/**
 * The content of the working tree: tracked and untracked files, without ignored ones. Content goes
 * through git's own filters, so that it has the oid under which it would be committed.
 */
export async function worktreeTree(
  git: Git,
  root: string,
  scope: TreePaths,
  snapshot: RepositorySnapshot = snapshotOf(git),
): Promise<readonly TreeEntry[]> {
  if (scope.length === 0) return [];
  const isWanted = withinAny(scope);
  const readFiles = async (files: readonly Indexed[]) =>
    asAdded(
      git,
      root,
      files.filter(({ path }) => isFile(root, path)),
    );
  const status = snapshot
    .status()
    .then(({ changes }) => changes.filter(({ path }) => isWanted(path)));
  const reading = status.then((all) => readFiles(all.filter((it) => it.inWorktree && it.isThere)));
  const [changes, listed, read] = await Promise.all([status, snapshot.index(), reading]);
  const index = listed.filter(({ path }) => isWanted(path));
  // The flag hides changes of these files from git, so they are read here.
  const unseen = index.filter((it) => it.unseen !== undefined);
  if (changes.length === 0 && unseen.length === 0) return index;
  const hidden = unseen.map(({ path, mode, oid }) => ({ path, indexed: [mode, oid] as const }));
  const added = [read, await readFiles(hidden), await dirtySubmodules(root, changes, git)].flat();
  const assumed = unseen.filter((it) => it.unseen === 'assumed');
  const others = [...assumed, ...changes.filter((it) => it.inWorktree), ...added];
  const isOther = new Set(others.map(({ path }) => path));
  return [...index.filter(({ path }) => !isOther.has(path)), ...added];
}

type Indexed = Pick<StatusEntry, 'path' | 'indexed'>;

/** The content of the next commit, if it takes the changes of a snapshot besides what is staged. */
export async function nextCommitTree(
  git: Git,
  root: string,
  scope: TreePaths,
  snapshot: RepositorySnapshot,
): Promise<TreeEntry[]> {
  const [staged, working, { changes }] = await Promise.all([
    indexTree(git, scope, snapshot),
    worktreeTree(git, root, scope, snapshot),
    snapshot.status(),
  ]);
  const taken = new Set(changes.filter((it) => it.inWorktree).map(({ path }) => path));
  return [
    ...staged.filter(({ path }) => !taken.has(path)),
    ...working.filter(({ path }) => taken.has(path)),
  ];
}

/**
 * A submodule has the oid of the commit that it has checked out. With uncommitted changes it gets one that
 * equals no commit, and another one for other changes.
 */
async function dirtySubmodules(
  root: string,
  status: readonly StatusEntry[],
  git: Git,
): Promise<TreeEntry[]> {
  const changed = status.filter((change) => change.submodule !== undefined);
  const entries = changed.map(async ({ path, submodule }) => {
    const folder = join(root, path);
    const within = git.at(folder);
    const head = (await within.text(['rev-parse', 'HEAD'])).trim();
    if (submodule !== 'dirty') return { mode: SUBMODULE, path, oid: head };
    const files = await worktreeTree(within, folder, ['']);
    const lines = files.map((it) => `${it.mode} ${it.oid} ${it.path}`).sort();
    return { mode: SUBMODULE, path, oid: `${head}-${sha256(lines.join('\0'))}` };
  });
  return Promise.all(entries);
}

/** The most options, because a command line has a limit. */
const MOST_AS_OPTIONS = 200;
/** The most paths in a message. */
const MOST_NAMED = 4;

/** False for anything that is neither a file nor a link, which git does not commit. */
function isFile(root: string, path: string): boolean {
  // A name that is not valid UTF-8 is refused later, where the file would be read.
  if (path.includes('\uFFFD')) return true;
  const stats = lstatSync(join(root, path), { throwIfNoEntry: false });
  return stats?.isFile() === true || stats?.isSymbolicLink() === true;
}

/**
 * The files at some paths as `git add` would enter them, in a private index: through git's own
 * filters, with the line ends of the index, and without writing an object. That index has these
 * paths alone, without git's notes about their files, so all files are read.
 *
 * @throws {ExplainedError}
 */
async function asAdded(git: Git, root: string, files: readonly Indexed[]): Promise<TreeEntry[]> {
  if (files.length === 0) return [];
  const paths = files.map(({ path }) => path);
  // A name that is not valid UTF-8 is damaged by decoding, so the file cannot be found by it.
  const unreadable = paths.filter((it) => it.includes('\uFFFD'));
  if (unreadable.length > 0) {
    const names = enumerated(unreadable, MOST_NAMED);
    throw new ExplainedError(`names of changed files are not valid UTF-8: ${names}`, {
      code: 'UNREADABLE_NAME',
      hint: 'rename or ignore them, or commit them so that their content is known',
    });
  }
  return withScratchFolder(async (scratch) => {
    const indexFile = join(scratch, 'index');
    const { gitDir = '' } = placeOfGit(git);
    const within = git.at(root, { gitDir, workTree: root, indexFile });
    const known = files.flatMap(({ path, indexed }) => (indexed ? [[...indexed, path]] : []));
    const lines = known
      .slice(MOST_AS_OPTIONS)
      .map(([mode, oid, path = '']) => `${mode} ${oid}\t${bytesOf(path)}`);
    await updateIndex(within, ['--index-info'], lines);
    // If there are few, the same start of git gets them as options.
    const few = known.slice(0, MOST_AS_OPTIONS).flatMap((it) => ['--cacheinfo', it.join()]);
    const add = ['--info-only', '--add', '--remove', '--replace', ...few, '--stdin'];
    await updateIndex(within, add, paths.map(bytesOf));
    // Untracked files alone do not tell the length of an oid.
    const [[, oid = ''] = []] = known;
    const made = oid === '' ? undefined : indexFileEntries(readFileSync(indexFile), oid.length / 2);
    const entries = made ?? (await listIndex(within));
    return entries.map(({ mode, oid, path }) => ({ mode, oid, path }));
  });
}

const bytesOf = (path: string): string => Buffer.from(path).toString('latin1');
