/**
 * Writes the content of a working tree as a git tree and changes nothing in it: index, HEAD and stash
 * stay as they are. Objects go to the repository's own object store. A private index outside of the
 * working tree keeps what git knows of unchanged files, so that the next checkpoint is quick.
 */

import { accessSync, constants } from 'node:fs';
import type { Environment } from '../environment.ts';
import type { Git } from './git.ts';
import { CHECKOUT_MS, gitIn } from './git-in.ts';
import { splitNul } from './paths.ts';
import {
  fileOf,
  type PrivateTree,
  SEEDS,
  type Seed,
  type Seeding,
  seedIndex,
  statsOf,
  updateIndex,
  utf8,
} from './private-index.ts';
import { projectPlace } from './project.ts';

/**
 * Names the folder to git explicitly: a worker may have set `core.worktree` to another one.
 *
 * @param gitDir given where the working tree's own `.git` may have been changed.
 */
export function privateTree(
  root: string,
  indexFile: string,
  env: Environment,
  gitDir: string | undefined = projectPlace(root).gitDir,
): PrivateTree {
  const binding = gitDir === undefined ? {} : { gitDir, workTree: root };
  const git = gitIn(root, env, { ...binding, indexFile, timeoutMs: CHECKOUT_MS });
  return { git, root, indexFile };
}

interface CheckpointOptions {
  /** Paths that do not enter. Where `base` has one, its version enters. */
  readonly denied: (path: string) => boolean;
  /** Commit that the work started from; by default HEAD. */
  readonly base?: string;
  /** Larger files that `base` does not have are left out. */
  readonly maxFileBytes?: number;
}

export interface TreeCheckpoint {
  readonly tree: string;
  /** Denied paths that exist in the working tree and differ from `base`. */
  readonly denied: readonly string[];
  /** Other files that were left out, and why. */
  readonly leftOut: readonly LeftOut[];
  /** Number of files in the tree. */
  readonly files: number;
}

const MAX_FILE_BYTES = 50 * 1024 * 1024;

/**
 * What `git add --all` would stage: tracked and untracked files, without ignored ones. Links are kept
 * as links, submodules as the commit that they have checked out; nested repositories are left out.
 */
export async function checkpointTree(
  tree: PrivateTree,
  options: CheckpointOptions,
): Promise<TreeCheckpoint> {
  const { denied, maxFileBytes = MAX_FILE_BYTES } = options;
  const seeding: Seeding = { ...(await repositoryOf(tree, options.base ?? 'HEAD')), denied };
  for (const seed of SEEDS) {
    try {
      const taken = await takeFrom(seed, tree, seeding, maxFileBytes);
      if (taken !== undefined) return taken;
    } catch (error) {
      // The index may be damaged, locked by a git that was killed, or name objects that are gone;
      // files may be deleted while they are read. The next seed depends on less of that.
      if (seed === SEEDS.at(-1)) throw error;
    }
  }
  throw new Error('unreachable: the last seed returns or throws');
}

/** `undefined` if the kept index may hold files that are ignored by now. */
async function takeFrom(
  seed: Seed,
  tree: PrivateTree,
  seeding: Seeding,
  maxFileBytes: number,
): Promise<TreeCheckpoint | undefined> {
  const { git } = tree;
  await seedIndex(tree, seed, seeding);
  const args = ['ls-files', '-z', '--modified', '--others', '--exclude-standard', '--deduplicate'];
  // Names may be any bytes: latin1 keeps one character a byte.
  const found = splitNul((await git.bytes(args)).toString('latin1'));
  if (seed === 'kept' && found.some((path) => /(^|\/)\.gitignore$/.test(path))) return undefined;

  const judged: Judged[] = [];
  const folders = new Map([['', true]]);
  for (const path of found) {
    const name = utf8(path);
    const verdict = await judge({ path, name }, tree, seeding, maxFileBytes, folders);
    judged.push({ path, name, verdict });
  }
  const as = (wanted: Judged['verdict']) => judged.filter(({ verdict }) => verdict === wanted);
  const dropped = as('drop').map(({ path }) => `0 ${seeding.noOid}\t${path}`);
  await updateIndex(git, ['--index-info'], dropped);
  const taken = as('take').map(({ path }) => path);
  await updateIndex(git, ['--add', '--remove', '--replace', '--stdin'], taken);
  const [written, files] = await Promise.all([
    git.text(['write-tree']),
    git.bytes(['ls-files', '-z', '--cached']),
  ]);
  return {
    tree: written.trim(),
    denied: as('denied').map(({ name }) => name),
    leftOut: judged.flatMap(({ name: path, verdict: why }) =>
      why === 'take' || why === 'drop' || why === 'denied' ? [] : [{ path, why }],
    ),
    files: files.filter((byte) => byte === 0).length,
  };
}

async function isInBase(git: Git, base: string | undefined, name: string): Promise<boolean> {
  if (base === undefined) return false;
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', base, '--', name];
  return (await git.text(args)) !== '';
}

async function repositoryOf(
  { git, indexFile }: PrivateTree,
  revision: string,
): Promise<Omit<Seeding, 'denied'>> {
  const commit = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const base = (await git.maybe(commit))?.trim();
  if (git.gitDir !== undefined && base !== undefined) {
    return { gitDir: git.gitDir, base, noOid: '0'.repeat(base.length) };
  }
  const where = ['--absolute-git-dir', '--show-object-format', '--git-path', 'index'];
  const text = await git.text(['rev-parse', ...where]);
  const [gitDir, format, end] = /^(.+)\n(\w+)\n(.*)$/s.exec(text)?.slice(1) ?? [];
  if (gitDir === undefined || end !== `${indexFile}\n`) {
    throw new Error('a checkpoint needs a git that was made with its index file');
  }
  return { gitDir, base, noOid: '0'.repeat(format === 'sha256' ? 64 : 40) };
}

interface LeftOut {
  readonly path: string;
  /** `unreadable`: also what is neither file nor link. `repository`: one of its own, untracked. */
  readonly why: 'too-large' | 'unreadable' | 'repository';
}

interface ChangedPath {
  /** One character a byte. */
  readonly path: string;
  readonly name: string;
}

interface Judged extends ChangedPath {
  /** `drop`: the path is a folder now, or one of its parent folders is not a folder any more. */
  readonly verdict: 'take' | 'drop' | 'denied' | LeftOut['why'];
}

async function judge(
  { path, name }: ChangedPath,
  { git, root }: PrivateTree,
  { base, denied }: Seeding,
  maxFileBytes: number,
  folders: Map<string, boolean>,
): Promise<Judged['verdict']> {
  if (path.endsWith('/')) return 'repository';
  if (denied(name)) return 'denied';
  if (!isFolder(root, parentOf(path), folders)) return 'drop';
  const stats = statsOf(root, path);
  // A deleted file is taken: the update removes it.
  if (stats === undefined || stats.isSymbolicLink()) return 'take';
  // A submodule, or a plain folder where a file was: the files in a folder are listed themselves.
  if (stats.isDirectory()) return statsOf(root, `${path}/.git`) ? 'take' : 'drop';
  if (!stats.isFile() || !isReadable(root, path)) return 'unreadable';
  if (stats.size > maxFileBytes && !(await isInBase(git, base, name))) return 'too-large';
  return 'take';
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

function isReadable(root: string, path: string): boolean {
  try {
    accessSync(fileOf(root, path), constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
