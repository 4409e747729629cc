/**
 * Checkouts in which several commands run one after the other, so that a tree is made and set up only once. Before each
 * command, git reverts the changes of the one before. A tree is not used again if anything else differs from its first
 * state: the result of its setup, permissions, its git directory, git's settings, a running process. Changes elsewhere
 * (in the home folder, above the folder of all trees, in refs) are not looked for.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { attempt } from '../base/errors.ts';
import { readJsonFile } from '../base/files/json-file.ts';
import { makePrivateFolder } from '../base/files/private-folder.ts';
import { type Git, GitError } from '../base/git/git.ts';
import { CHECKOUT_MS } from '../base/git/git-in.ts';
import { ignoredEntries } from '../base/git/paths.ts';
import { projectPlace } from '../base/git/project.ts';
import { readStatus } from '../base/git/repository-snapshot.ts';
import { addWorktree } from '../base/git/worktrees.ts';
import { strangersFromNowOn } from '../base/process/end-tree.ts';
import { type HeldLock, takeLock } from '../base/process/held-lock.ts';
import { bootId } from '../base/process/process-entry.ts';
import { sha256 } from '../base/text/sha256.ts';
import { removeTreesLeftIn } from './temporary-tree.ts';

interface KeptTreeWish<P> {
  readonly git: Git;
  readonly oid: string;
  readonly folder: string;
  /** The name of the tree's own folder. */
  readonly name: string;
  /** Adds the files that are in no commit, and finds out which setups the tree needs. */
  readonly plan: (root: string) => Promise<P>;
  /** Runs once in a new tree. */
  readonly setUp: (root: string, plan: P) => Promise<void>;
}

/** `key`: what the setup's result depends on. `undefined`: that is not known in full, so the tree is used once. */
interface Plan {
  readonly key: string | undefined;
}

interface Tree<P> {
  readonly root: string;
  readonly plan: P;
  /** The files are as they are in the commit: no setting or filter changes them. */
  readonly isWhole: boolean;
  /** Called if the command has left a process that still runs: the tree is not used again. */
  readonly spoil: () => void;
}

/** The most trees with different setups, as after a lane has changed a lock file; the oldest is then removed. */
const MOST_SETUPS = 3;

export async function withKeptTree<P extends Plan, T>(
  wish: KeptTreeWish<P>,
  work: (tree: Tree<P>) => Promise<T>,
): Promise<T> {
  makePrivateFolder(wish.folder);
  for (const name of readdirSync(wish.folder).filter((it) => !/^\d+(?:$|\.)/.test(it))) {
    rmSync(join(wish.folder, name), { recursive: true, force: true });
  }
  const place = await takePlace(wish);
  const { dir, lock, ready = await make(wish, dir) } = place;
  const { plan, state } = ready;
  let isSpoiled = plan.key === undefined;
  try {
    const spoil = (): void => {
      isSpoiled = true;
    };
    const strangersIn = strangersFromNowOn();
    const indexStamp = () => stampOf(lstatSync(join(dir, INDEX), { throwIfNoEntry: false }));
    const index = indexStamp();
    const isWhole = plan.key !== undefined;
    const result = await work({ root: state.root, plan, isWhole, spoil });
    if (indexStamp() !== index || strangersIn(state.root)) spoil();
    if (!isSpoiled) writeFileSync(join(dir, STATE), JSON.stringify(state), { mode: 0o600 });
    return result;
  } finally {
    if (!existsSync(join(dir, STATE))) await removeTree(wish.git, dir);
    lock.release();
  }
}

/** Removes all trees that are not in use. @returns whether none is left. */
export async function removeKeptTrees(git: Git, folder: string): Promise<boolean> {
  if (!existsSync(folder)) return true;
  for (const name of readdirSync(folder).filter((it) => it.endsWith(LOCK))) {
    const lock = takeLock(join(folder, name));
    if (lock === undefined) continue;
    await removeTree(git, join(folder, name.slice(0, -LOCK.length)));
    lock.discard();
  }
  if (readdirSync(folder).length > 0) return false;
  rmdirSync(folder);
  return true;
}

const STATE = 'state.json';
const INDEX = 'index';
const LOCK = '.lock';

/** The state of a tree before a command. */
const State = z.object({
  ...{ root: z.string(), gitDir: z.string(), commonDir: z.string() },
  key: z.string(),
  boot: z.string(),
  /** The untracked results of the setup: the topmost paths, and each file below them. */
  made: z.array(z.string()),
  files: z.record(z.string(), z.string()),
  /** The permissions of tracked files and folders. */
  modes: z.array(z.string()),
  around: z.string(),
});
type State = z.infer<typeof State>;

interface Ready<P> {
  readonly plan: P;
  readonly state: State;
}

interface Place<P> {
  readonly dir: string;
  readonly lock: HeldLock;
  /** Absent: a tree has to be made. */
  readonly ready?: Ready<P>;
}

async function takePlace<P extends Plan>(wish: KeptTreeWish<P>): Promise<Place<P>> {
  for (let n = 0; ; n += 1) {
    const dir = join(wish.folder, String(n));
    const lock = takeLock(`${dir}${LOCK}`);
    if (lock === undefined) continue;
    try {
      const known = readJsonFile(join(dir, STATE), State);
      // A process that is killed from here on leaves no state, so the tree is not used again.
      rmSync(join(dir, STATE), { force: true });
      const ready = typeof known === 'string' ? undefined : await renewed(wish, dir, known);
      if (ready !== 'other setup') return { dir, lock, ...(ready && { ready }) };
      if (n + 1 >= MOST_SETUPS) return { dir, lock };
    } catch (error) {
      lock.release();
      throw error;
    }
    lock.release();
  }
}

async function make<P extends Plan>(wish: KeptTreeWish<P>, dir: string): Promise<Ready<P>> {
  const { git, oid, name, plan: planOf, setUp } = wish;
  await removeTree(git, dir);
  makePrivateFolder(dir);
  const root = join(realpathSync(mkdtempSync(join(dir, 'tree-'))), name);
  await addWorktree(git, root, oid, '--detach', '--no-checkout');
  const { identity: commonDir, gitDir = commonDir } = projectPlace(root);
  const at = { root, gitDir, commonDir };
  const own = ownGit(git, root, dir);
  await reset(own, dir, gitDir, oid);
  const plan = await planOf(root);
  await setUp(root, plan);
  const made = await ignoredEntries(own);
  const modes = [...new Set(modesIn(root, made))];
  // A result of the setup that git would revert, or does not ignore, is lost before the next command.
  const isWhole = modes.every(isMode) && (await readStatus(own)).changes.length === 0;
  const key = isWhole ? plan.key : undefined;
  const files = Object.fromEntries(filesIn(root, made));
  const state = {
    ...at,
    key: key ?? '',
    boot: bootId(),
    made,
    files,
    modes,
    around: textsAround(at),
  };
  return { plan: { ...plan, key }, state };
}

/** The tree with the files of another commit; `undefined` if it is not in its first state. */
async function renewed<P extends Plan>(wish: KeptTreeWish<P>, dir: string, known: State) {
  const { root, made, gitDir } = known;
  const { git, oid, name, plan: planOf } = wish;
  const isSame = known.boot === bootId() && basename(root) === name;
  if (!isSame || !isAsItWas(dir, known)) return undefined;
  const own = ownGit(git, root, dir);
  const kept = made.flatMap((path) => ['-e', `/${path.replaceAll(/[\\*?[\]!# ]/g, '\\$&')}`]);
  try {
    await own.text(['clean', '-ffdxq', ...kept]);
    await reset(own, dir, gitDir, oid);
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
  if (modesIn(root, made).some((it) => !known.modes.includes(it))) return undefined;
  const plan = await planOf(root);
  const state = { ...known, around: textsAround(known) };
  if (plan.key === known.key) return { plan, state };
  writeFileSync(join(dir, STATE), JSON.stringify(state), { mode: 0o600 });
  return 'other setup';
}

/** Git with an index that programs in the tree cannot reach: the tree's own index may hide changes. */
const ownGit = (git: Git, root: string, dir: string): Git =>
  git.at(root, { indexFile: join(dir, INDEX), network: true, timeoutMs: CHECKOUT_MS });

async function reset(own: Git, dir: string, gitDir: string, oid: string): Promise<void> {
  await own.text(['-c', 'core.sparseCheckout=false', 'reset', '--hard', '--quiet', oid]);
  copyFileSync(join(dir, INDEX), join(gitDir, INDEX));
}

/** Caches of tools beside packages: they are removed, because they may not fit another content. */
const CACHE = /\/(?:\.cache|\.vite|\.vite-temp|\.vitest|__pycache__)(?=\/|$)/;

function isAsItWas(dir: string, { root, made, files, ...at }: State): boolean {
  // Programs also look for packages and settings in the folders above.
  const around = dirname(root);
  const own = [INDEX, basename(around), basename(root)].toSorted().join();
  const found = attempt(() => [...readdirSync(dir), ...readdirSync(around)].toSorted().join());
  if (found !== own || !lstatSync(root).isDirectory()) return false;
  if (textsAround({ root, ...at }) !== at.around) return false;
  const now = new Map(filesIn(root, made));
  for (const path of now.keys()) {
    if (files[path] !== undefined) continue;
    const cache = CACHE.exec(path);
    if (cache === null) return false;
    const top = path.slice(0, cache.index + cache[0].length);
    if (files[top] !== undefined) return false;
    if (existsSync(join(root, top))) rmSync(join(root, top), { recursive: true });
    now.delete(path);
  }
  return Object.entries(files).every(([path, is]) => now.get(path) === is);
}

/** The fields that change if a file is written to: ctime cannot be set. */
function stampOf(stats: Stats | undefined): string {
  const { mode, ino, nlink, size, mtimeMs, ctimeMs } = stats ?? {};
  return (stats?.isDirectory() ? [mode, ino] : [mode, ino, nlink, size, mtimeMs, ctimeMs]).join();
}

/** A path and everything below it, if it exists; nothing below names that are left out. */
function* walk(
  path: string,
  isLeftOut = (_: string): boolean => false,
): Generator<[string, Stats]> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || isLeftOut(path)) return;
  yield [path, stats];
  if (!stats.isDirectory()) return;
  for (const name of attempt(() => readdirSync(path)) ?? [])
    yield* walk(join(path, name), isLeftOut);
}

const filesIn = (root: string, paths: readonly string[]): [string, string][] =>
  paths.flatMap((top) =>
    [...walk(join(root, top))].map(([file, stats]): [string, string] => [
      file.slice(root.length + 1),
      stampOf(stats),
    ]),
  );

/** True for a mode. `modesIn` gives the path instead for a nested repository, and for a file with a second name. */
const isMode = (it: string): boolean => /^\d+$/.test(it);

function modesIn(root: string, except: readonly string[]): string[] {
  const leftOut = new Set(['.git', ...except].map((name) => join(root, name)));
  const isLeftOut = (file: string) => leftOut.has(file);
  return [...walk(root, isLeftOut)].flatMap(([file, stats]) => {
    if (file === root) return [];
    const isPlain = stats.isDirectory() || stats.nlink === 1;
    return basename(file) !== '.git' && isPlain ? stats.mode.toString(8) : file;
  });
}

/** What git and its hooks depend on besides the files: the tree's own git directory, and the repository's settings. */
function textsAround({ root, gitDir, commonDir }: Pick<State, 'root' | 'gitDir' | 'commonDir'>) {
  const shared = ['config', 'info', 'hooks'].map((name) => join(commonDir, name));
  const found = [join(root, '.git'), gitDir, ...shared].flatMap((top) => [
    ...walk(top, (file) => OWN.has(basename(file))),
  ]);
  const texts = found.map(([file, stats]) => {
    const link = stats.isSymbolicLink() && readlinkSync(file);
    return [file, stats.mode, link, stats.isFile() && readFileSync(file, 'latin1')].join(' ');
  });
  return sha256(texts.join('\0'));
}

/** The files that git itself changes at each reset. */
const OWN = new Set([INDEX, 'logs', 'ORIG_HEAD']);

async function removeTree(git: Git, dir: string): Promise<void> {
  // Commands may leave folders that are read-only.
  for (const [file, stats] of walk(dir)) {
    if (stats.isDirectory()) attempt(() => chmodSync(file, 0o700));
  }
  await removeTreesLeftIn(git, dir);
  rmSync(dir, { recursive: true, force: true });
}
