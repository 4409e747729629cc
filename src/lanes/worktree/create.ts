/** Makes the worktree of a lane, or finds it as it was left. Nothing of the user's gives way to it. */
import { existsSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../../environment.ts';
import { ExplainedError } from '../../errors.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import type { Git } from '../../git/git.ts';
import { deleteRef, refAt } from '../../git/plumbing.ts';
import {
  addWorktree,
  dropWorktree,
  listWorktrees,
  lockWorktree,
  type RegisteredWorktree,
  UNFINISHED,
} from '../../git/worktrees.ts';
import { type BranchWish, ensureBranch, MARK, markOf } from './lane-branch.ts';
import {
  assertPlace,
  assertWorktree,
  linkedGitDir,
  type Placed,
  refused,
  repositoryGit,
} from './place.ts';
import { repositoryLock, withLock } from './with-lock.ts';

export interface WorktreeWish extends Placed, BranchWish {
  /** Folder of lock files. */
  readonly locks: string;
  readonly env: Environment;
}

export interface Worktree {
  readonly created: boolean;
  /** Commit that is checked out; `undefined` if the worker left none. */
  readonly head: string | undefined;
  readonly gitDir: string;
}

const LOCK_WAIT_MS = 300_000;
const UNFINISHED_WAIT_MS = 5_000;
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
    const list = await finishedList(git, wish.path);
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

/** A git that outlived who started it may still be at work on the very folder. */
async function finishedList(git: Git, path: string): Promise<RegisteredWorktree[]> {
  const deadline = performance.now() + UNFINISHED_WAIT_MS;
  for (;;) {
    const list = await listWorktrees(git);
    const isUnfinished = list.some((it) => it.path === path && it.locked === UNFINISHED);
    if (!isUnfinished || performance.now() > deadline) return list;
    await pause(100);
  }
}

/** `undefined` if the folder is gone, or not all of it was made; git has forgotten it then, too. */
async function reuse(
  git: Git,
  wish: WorktreeWish,
  registered: RegisteredWorktree,
): Promise<Worktree | undefined> {
  const { path, branch, branchOwner, attempt } = wish;
  const { locked, head } = registered;
  if (locked === UNFINISHED) {
    // Whoever asked for it was killed, and git as well: no worker has ever seen it.
    await dropWorktree(git, path);
    return undefined;
  }
  if (locked !== undefined && !locked.startsWith(MARK)) {
    throw refused(path, `somebody has locked it: ${locked}`, `git worktree unlock ${path}`);
  }
  if (!existsSync(path) || readdirSync(path).length === 0) {
    await dropWorktree(git, path);
    return undefined;
  }
  if (branchOwner === 'nobody' && locked !== markOf(attempt)) {
    const hint = 'move it away: `git worktree move`, or start the run under another name';
    throw refused(path, 'there is a worktree that the lane has not made', hint);
  }
  if (!existsSync(join(path, '.git'))) relink(wish);
  const gitDir = linkedGitDir(path, wish.repository);
  if (typeof gitDir !== 'string') throw refused(path, gitDir.why, 'move the folder away');
  // A worker of the lane has switched: its work is put on the lane's branch in the end, all the same.
  const isOwn = locked !== undefined && branchOwner === 'lane';
  const isOther = registered.branch !== undefined && registered.branch !== `refs/heads/${branch}`;
  if (isOther && !isOwn) {
    throw refused(
      path,
      `it is on ${registered.branch}, not on ${branch}`,
      `git -C ${path} switch ${branch}`,
    );
  }
  if (locked === undefined) await lockWorktree(git, path, markOf(attempt));
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
    await addWorktree(git, path, branch);
    const worktree = await verified(git, wish);
    // Only now: as long as git makes it, it is locked by git's own mark.
    await lockWorktree(git, path, markOf(attempt));
    return worktree;
  } catch (error) {
    await rollBack(git, wish, madeBranch);
    throw error;
  }
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
