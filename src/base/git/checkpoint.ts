/**
 * Writes the content of a working tree as a git tree and changes nothing in it: index, HEAD and stash
 * stay as they are. Objects go to the repository's own object store. The private index, outside of the
 * working tree, begins as a copy of its own one, so that git need not read unchanged files.
 */
import { accessSync, constants, lstatSync, rmSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, codeOf } from '../errors.ts';
import { isDeniedPath } from '../files/denied-paths.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import type { Git } from './git.ts';
import { CHECKOUT_MS, gitIn } from './git-in.ts';
import { splitNul } from './paths.ts';
import { copyIndex, INDEX_SETTINGS, updateIndex } from './private-index.ts';
import { projectPlace } from './project.ts';
import { pathsAt } from './tree.ts';
import { isOid } from './tree-entry.ts';

interface Seeding {
  /** The commit from which the work started; `undefined` before the first. */
  readonly base: string | undefined;
  readonly denied: (path: string) => boolean;
  readonly maxFileBytes: number;
}

export interface PrivateTree {
  /** A git that was made with the same `indexFile`. */
  readonly git: Git;
  /** Root of the working tree; git runs there. */
  readonly root: string;
  /** Absolute, outside of the working tree, and only for this tree. */
  readonly indexFile: string;
}

/**
 * Names the folder to git explicitly: a worker may have set `core.worktree` to another one.
 *
 * @param gitDir given if the working tree's own `.git` may have been changed.
 */
export function privateTree(
  root: string,
  indexFile: string,
  env: NodeJS.ProcessEnv,
  gitDir: string | undefined = projectPlace(root).gitDir,
): PrivateTree {
  const binding = gitDir === undefined ? {} : { gitDir, workTree: root };
  const git = gitIn(root, env, { ...binding, indexFile, timeoutMs: CHECKOUT_MS });
  return { git, root, indexFile };
}

interface CheckpointOptions {
  /** True for paths that are left out; by default those of secrets. If `base` has such a path, its version is used. */
  readonly denied?: (path: string) => boolean;
  /** The commit from which the work started; by default HEAD. */
  readonly base?: string;
  /** Larger files that `base` does not have are left out. */
  readonly maxFileBytes?: number;
}

export interface TreeCheckpoint {
  readonly tree: string;
  /** Denied paths that exist in the working tree and differ from `base`. */
  readonly denied: readonly string[];
  readonly leftOut: readonly { readonly path: string; readonly why: WhyLeftOut }[];
  readonly files: number;
}

const MAX_FILE_BYTES = 50 * 1024 * 1024;

/**
 * What `git add --all` would stage: tracked and untracked files, without ignored ones. Links are kept
 * as links, submodules as the commit that they have checked out; nested repositories are left out.
 */
export async function checkpointTree(
  tree: PrivateTree,
  options: CheckpointOptions = {},
): Promise<TreeCheckpoint> {
  const { denied = isDeniedPath, base: revision = 'HEAD', maxFileBytes = MAX_FILE_BYTES } = options;
  const commit = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const found = async () => (await tree.git.maybe(commit))?.trim();
  const limits = { denied, maxFileBytes };
  try {
    const base = isOid(revision) ? revision : await found();
    return await takeFrom('copy', tree, { base, ...limits });
  } catch {
    // The index may be missing or damaged, or name objects that are gone; files may be deleted
    // while they are read. An index of the commit depends on less of that.
    return takeFrom('base', tree, { base: await found(), ...limits });
  }
}

async function takeFrom(
  seed: 'copy' | 'base',
  tree: PrivateTree,
  seeding: Seeding,
): Promise<TreeCheckpoint> {
  const { git, root } = tree;
  const { entries, found } = await seedIndex(tree, seed, seeding);
  const tracked = new Set(entries.map(({ path }) => path));
  const judged: Judged[] = [];
  const folders = new Map([['', true]]);
  for (const path of found) {
    const name = utf8(path);
    judged.push({ path, name, verdict: await judge(path, name, tree, seeding, folders) });
  }
  const as = (wanted: Judged['verdict']) => judged.filter(({ verdict }) => verdict === wanted);
  const dropped = as('drop').map(({ path }) => path);
  await updateIndex(git, ['--force-remove', '--stdin'], dropped);
  const taken = as('take').map(({ path }) => path);
  await updateIndex(git, ['--add', '--remove', '--replace', '--stdin'], taken);
  for (const path of dropped) tracked.delete(path);
  for (const path of taken) {
    if (statsOf(root, path) === undefined) tracked.delete(path);
    else tracked.add(path);
  }
  return {
    tree: (await git.text(['write-tree'])).trim(),
    denied: as('denied').map(({ name }) => name),
    leftOut: judged.flatMap(({ name: path, verdict: why }) =>
      why === 'take' || why === 'drop' || why === 'denied' ? [] : [{ path, why }],
    ),
    files: tracked.size,
  };
}

async function isInBase(git: Git, base: string, name: string): Promise<boolean> {
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', base, '--', name];
  return (await git.text(args)) !== '';
}

/** `unreadable`: also anything that is neither file nor link. `repository`: an untracked one. */
type WhyLeftOut = 'too-large' | 'unreadable' | 'repository';

interface Judged {
  /** One character for each byte. */
  readonly path: string;
  readonly name: string;
  /** `drop`: the path is now a folder, or a folder above it no longer is one. */
  readonly verdict: 'take' | 'drop' | 'denied' | WhyLeftOut;
}

async function judge(
  path: string,
  name: string,
  { git, root }: PrivateTree,
  { base, denied, maxFileBytes }: Seeding,
  folders: Map<string, boolean>,
): Promise<Judged['verdict']> {
  if (path.endsWith('/')) return 'repository';
  if (denied(name)) return 'denied';
  if (!isFolder(root, parentOf(path), folders)) return 'drop';
  const stats = statsOf(root, path);
  // A deleted file is taken: the update removes it.
  if (stats === undefined || stats.isSymbolicLink()) return 'take';
  // A submodule is taken; a plain folder in the place of a file is not, because its files are listed themselves.
  if (stats.isDirectory()) return statsOf(root, `${path}/.git`) ? 'take' : 'drop';
  if (!stats.isFile() || !isReadable(root, path)) return 'unreadable';
  if (stats.size <= maxFileBytes) return 'take';
  return base !== undefined && (await isInBase(git, base, name)) ? 'take' : 'too-large';
}

/** False for a link in the place of a folder: files behind it do not belong to this tree. */
function isFolder(root: string, path: string, known: Map<string, boolean>): boolean {
  const before = known.get(path);
  if (before !== undefined) return before;
  const is = isFolder(root, parentOf(path), known) && statsOf(root, path)?.isDirectory() === true;
  known.set(path, is);
  return is;
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

const isReadable = (root: string, path: string): boolean =>
  attempt(() => accessSync(fileOf(root, path), constants.R_OK) ?? true) ?? false;

/** Makes the private index track what the working tree's own one tracks, or the base; returns the paths in it. */
async function seedIndex(tree: PrivateTree, seed: 'copy' | 'base', seeding: Seeding) {
  const { git, root, indexFile } = tree;
  makePrivateFolder(dirname(indexFile));
  for (const file of [indexFile, `${indexFile}.lock`]) rmSync(file, { force: true });
  if (seed === 'copy') copyIndex(join(git.gitDir ?? join(root, '.git'), 'index'), indexFile);
  else await git.text([...INDEX_SETTINGS, 'read-tree', seeding.base ?? '--empty']);
  const seen = await compared(git);
  return (await unhideChanges(tree, seeding, seen.entries)) ? await compared(git) : seen;
}

/** The entries of the index, and the paths whose files differ from it. */
async function compared(git: Git) {
  const args = ['ls-files', '--stage', '-v', '-z', '--modified', '--others', '--exclude-standard'];
  const all = Map.groupBy(records(await git.bytes(args)), ({ facts: [tag = ''] }) =>
    /[?C]/i.test(tag) ? 'found' : 'entries',
  );
  const found = new Set(all.get('found')?.map(({ path }) => path));
  return { entries: all.get('entries') ?? [], found: [...found] };
}

/**
 * Clears the flags that hide changes from git, and gives denied paths the version of `base`, if it
 * has one, whether they were added or removed since.
 *
 * @returns whether the index has changed.
 */
async function unhideChanges(
  { git, root }: PrivateTree,
  { base, denied }: Seeding,
  entries: ReturnType<typeof records>,
): Promise<boolean> {
  const wanted = base === undefined ? new Map() : await deniedAt(git, base, denied);
  const assumed: string[] = [];
  const skipped: string[] = [];
  const stray: string[] = [];
  for (const { facts, path } of entries) {
    const [tag = '', mode = '', oid = ''] = facts;
    if (/[a-z]/.test(tag)) assumed.push(path);
    if (/[sS]/.test(tag) && statsOf(root, path) !== undefined) skipped.push(path);
    if (!denied(utf8(path))) continue;
    if (wanted.get(path) === `${mode} ${oid}` && facts[3] === '0') wanted.delete(path);
    else stray.push(path);
  }
  const restored = [...wanted].map(([path, version]) => `${version}\t${path}`);
  await updateIndex(git, ['--no-assume-unchanged', '--stdin'], assumed);
  await updateIndex(git, ['--no-skip-worktree', '--stdin'], skipped);
  await updateIndex(git, ['--force-remove', '--stdin'], stray);
  await updateIndex(git, ['--index-info'], restored);
  return [assumed, skipped, stray, restored].some(({ length }) => length > 0);
}

/** The mode and object of each denied path of a commit. Most commits have none, and their paths are already known. */
async function deniedAt(git: Git, commit: string, denied: Seeding['denied']) {
  if (!(await pathsAt(git, commit)).some(denied)) return new Map<string, string>();
  const listing = await git.bytes(['ls-tree', '-r', '-z', '--full-tree', commit]);
  return new Map(
    records(listing).flatMap(({ facts: [mode, , oid], path }): [string, string][] =>
      denied(utf8(path)) ? [[path, `${mode} ${oid}`]] : [],
    ),
  );
}

/** The records of a listing; paths have one character for each byte. Git does not describe an untracked file. */
const records = (listing: Buffer) =>
  splitNul(listing.toString('latin1')).map((line) => {
    const end = line.startsWith('? ') ? 1 : line.indexOf('\t');
    return { facts: line.slice(0, end).split(' '), path: line.slice(end + 1) };
  });

/** @param path one character for each byte. */
const utf8 = (path: string): string => Buffer.from(path, 'latin1').toString('utf8');

/** @param path one character for each byte. */
const fileOf = (root: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);

/** @param path one character for each byte. */
function statsOf(root: string, path: string): Stats | undefined {
  try {
    return lstatSync(fileOf(root, path), { throwIfNoEntry: false });
  } catch (error) {
    // There is a file in the place of a folder.
    if (codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
