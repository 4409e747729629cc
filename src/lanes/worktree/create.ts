/** Makes the worktree of a lane, or finds it as it was left. Nothing of the user's gives way to it. */
import { existsSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ExplainedError } from '../../errors.ts';
import { makePrivateFolder } from '../../private-folder.ts';
import { type Git, UNATTENDED } from '../../project/git.ts';
import { deleteRef, refAt } from '../../project/plumbing.ts';
import {
  addWorktree,
  dropWorktree,
  listWorktrees,
  lockWorktree,
  type RegisteredWorktree,
} from '../../project/worktrees.ts';
import {
  assertPlace,
  assertWorktree,
  type Environment,
  linkedGitDir,
  type Placed,
  refused,
  repositoryGit,
} from './place.ts';
import { repositoryLock, withLock } from './with-lock.ts';

export interface WorktreeWish extends Placed {
  readonly branch: string;
  /** Commit that a new branch starts at. */
  readonly sha: string;
  readonly attempt: string;
  /** Folder of lock files. */
  readonly locks: string;
  readonly env: Environment;
  /**
   * `lane` once it is recorded that the lane has made its branch: then it is taken wherever it stands.
   * Any other branch of that name is somebody else's.
   */
  readonly branchOwner?: 'lane' | 'nobody';
}

export interface Worktree {
  readonly created: boolean;
  /** Commit that is checked out; `undefined` if the worker left none. */
  readonly head: string | undefined;
  readonly gitDir: string;
}

/** As long as other tools that mind the reason should keep off. */
const REASON = 'lanehold:';

const LOCK_WAIT_MS = 300_000;
/** A large tree, and filters that fetch what is in it. */
const CHECKOUT_MS = 900_000;

/**
 * One at a time for each repository: git's own commands fight over the same few files.
 *
 * @throws {WorktreeRefusedError} if something else is in the way; what is there stays as it is.
 */
export async function ensureWorktree(wish: WorktreeWish): Promise<Worktree> {
  const file = repositoryLock(wish.locks, 'worktrees', wish.repository.identity);
  const what = `other worktrees of ${wish.repository.root} to be made`;
  return withLock({ file, waitMs: LOCK_WAIT_MS, what }, async () => {
    const git = repositoryGit(wish.repository, wish.env, CHECKOUT_MS);
    const list = await listWorktrees(git);
    assertPlace(wish, list);
    const registered = list.find((it) => it.path === wish.path);
    if (registered !== undefined) {
      const reused = await reuse(git, wish, registered);
      if (reused !== undefined) return reused;
    }
    return create(
      git,
      wish,
      list.filter((it) => it !== registered),
    );
  });
}

/** `undefined` if the folder is gone; git has forgotten it then, too. */
async function reuse(
  git: Git,
  wish: WorktreeWish,
  registered: RegisteredWorktree,
): Promise<Worktree | undefined> {
  const { path, branch, attempt } = wish;
  const { locked, head } = registered;
  if (locked !== undefined && !locked.startsWith(REASON)) {
    throw refused(path, `somebody has locked it: ${locked}`, `git worktree unlock ${path}`);
  }
  if (!existsSync(path) || readdirSync(path).length === 0) {
    await dropWorktree(git, path);
    return undefined;
  }
  if (!existsSync(join(path, '.git'))) relink(wish);
  const gitDir = linkedGitDir(path, wish.repository);
  if (typeof gitDir !== 'string') throw refused(path, gitDir.why, 'move the folder away');
  const ref = `refs/heads/${branch}`;
  if (registered.branch !== undefined && registered.branch !== ref) {
    throw refused(
      path,
      `it is on ${registered.branch}, not on ${branch}`,
      `git -C ${path} switch ${branch}`,
    );
  }
  if (locked === undefined) await lockWorktree(git, path, `${REASON}${attempt}`);
  return { created: false, head, gitDir };
}

/** A worker has deleted the one file by which git finds its way: the rest is its work. */
function relink({ path, repository }: WorktreeWish): void {
  const admin = join(repository.identity, 'worktrees');
  const id = readdirSync(admin).find((it) => {
    const back = join(admin, it, 'gitdir');
    return existsSync(back) && readFileSync(back, 'utf8').trimEnd() === join(path, '.git');
  });
  if (id === undefined) return;
  writeFileSync(join(path, '.git'), `gitdir: ${join(admin, id)}\n`, { flag: 'wx' });
}

async function create(
  git: Git,
  wish: WorktreeWish,
  others: readonly RegisteredWorktree[],
): Promise<Worktree> {
  const { path, branch, attempt } = wish;
  if (existsSync(path) && readdirSync(path).length > 0) {
    throw refused(path, 'something is in that folder already', 'move it away');
  }
  const madeBranch = await ensureBranch(git, wish, others);
  makePrivateFolder(dirname(path));
  try {
    await addWorktree(git, path, branch, `${REASON}${attempt}`);
    return await verified(git, wish);
  } catch (error) {
    await rollBack(git, wish, madeBranch);
    throw error;
  }
}

/** Returns the commit of a branch that was made here, `undefined` if it was there. */
async function ensureBranch(
  git: Git,
  { path, branch, sha, attempt, branchOwner }: WorktreeWish,
  others: readonly RegisteredWorktree[],
): Promise<string | undefined> {
  const ref = `refs/heads/${branch}`;
  const elsewhere = others.find((it) => it.branch === ref);
  if (elsewhere !== undefined) {
    const hint = `check out another branch there: \`git -C ${elsewhere.path} switch --detach\``;
    throw refused(path, `${branch} is checked out in ${elsewhere.path}`, hint);
  }
  const mark = `${REASON}${attempt}`;
  const at = await refAt(git, ref);
  if (at !== undefined) {
    // Made for this very attempt, and the one who made it was killed before it could say so.
    if (branchOwner === 'lane' || (await madeAs(git, ref)) === mark) return undefined;
    throw refused(
      path,
      `there is a branch ${branch} that the lane has not made`,
      `rename it: \`git branch --move ${branch} <name>\`, or start the run under another name`,
    );
  }
  const create = ['update-ref', '--no-deref', '--create-reflog', '-m', mark, ref, sha, ''];
  await git.text([...UNATTENDED, ...create]);
  return sha;
}

/** What the oldest entry of a branch's log says. */
async function madeAs(git: Git, ref: string): Promise<string | undefined> {
  const log = await git.maybe(['log', '-g', '--format=%gs', ref, '--'], [128]);
  return log?.trimEnd().split('\n').at(-1);
}

async function verified(git: Git, wish: WorktreeWish): Promise<Worktree> {
  const { gitDir, registered } = await assertWorktree(wish, wish.env);
  const at = await refAt(git, `refs/heads/${wish.branch}`);
  if (at === undefined || registered.head !== at) {
    throw notAsAsked(wish.path, `HEAD is ${registered.head ?? 'nowhere'} instead of ${at}`);
  }
  const isEmpty = readdirSync(wish.path).every((name) => name === '.git');
  if (isEmpty && (await git.text(['ls-tree', '-z', at])) !== '') {
    throw notAsAsked(wish.path, 'no file is in it');
  }
  return { created: true, head: at, gitDir };
}

function notAsAsked(path: string, why: string): ExplainedError {
  return new ExplainedError(`git made ${path}, but ${why}`, {
    hint: 'see whether the disk is full, and whether `git worktree add` works there by hand',
  });
}

/** Only what was made here: the folder was not there, or empty, and so was the branch. */
async function rollBack(
  git: Git,
  { path, branch }: WorktreeWish,
  madeBranch: string | undefined,
): Promise<void> {
  const known = (await listWorktrees(git)).some((it) => it.path === path);
  if (known) await dropWorktree(git, path);
  else if (existsSync(path) && readdirSync(path).length === 0) rmdirSync(path);
  if (madeBranch !== undefined) await deleteRef(git, `refs/heads/${branch}`, madeBranch);
}
