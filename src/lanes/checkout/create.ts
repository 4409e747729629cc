/** Makes the worktree of a lane, or reuses the existing one. Never overwrites anything of the user. */
import { existsSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../../environment.ts';
import { ExplainedError } from '../../errors.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { type Git, UNATTENDED } from '../../git/git.ts';
import { deleteRef, refAt } from '../../git/plumbing.ts';
import {
  addWorktree,
  dropWorktree,
  listWorktrees,
  lockWorktree,
  type RegisteredWorktree,
  UNFINISHED,
} from '../../git/worktrees.ts';
import { withWorktreesLock } from '../../store/with-lock.ts';
import {
  assertPlace,
  assertWorktree,
  linkedGitDir,
  MARK,
  type Placed,
  refused,
  repositoryGit,
} from './place.ts';

export interface WorktreeWish extends Placed {
  readonly branch: string;
  /** The commit that a new branch starts at. */
  readonly sha: string;
  readonly attempt: string;
  /**
   * `lane` once it is recorded that the lane has created its branch: then it is used whatever commit it
   * names. Any other branch of that name is not the lane's.
   */
  readonly branchOwner?: 'lane' | 'none';
  /** Folder of lock files. */
  readonly locks: string;
  readonly env: Environment;
}

export interface Worktree {
  readonly created: boolean;
  /** The checked-out commit; `undefined` if HEAD names none. */
  readonly head: string | undefined;
  readonly gitDir: string;
}

const markOf = (attempt: string): string => `${MARK}${attempt}`;

const UNFINISHED_WAIT_MS = 5_000;
/** Long enough for a large tree, and for filters that download content. */
const CHECKOUT_MS = 900_000;

/** @throws {WorktreeRefusedError} if something else is in the way, which is left as it is. */
export async function ensureWorktree(wish: WorktreeWish): Promise<Worktree> {
  return withWorktreesLock(wish.locks, wish.repository, async () => {
    const git = repositoryGit(wish.repository, wish.env, CHECKOUT_MS);
    const list = await finishedList(git, wish.path);
    assertPlace(wish, list);
    const registered = list.find((it) => it.path === wish.path);
    if (registered !== undefined) {
      const reused = await reuse(git, wish, registered);
      if (reused !== undefined) return reused;
    }
    const others = list.filter((it) => it !== registered);
    return create(git, wish, others);
  });
}

/** Waits for a git process that outlived its caller and may still be making the worktree. */
async function finishedList(git: Git, path: string): Promise<RegisteredWorktree[]> {
  const deadline = performance.now() + UNFINISHED_WAIT_MS;
  for (;;) {
    const list = await listWorktrees(git);
    const isUnfinished = list.some((it) => it.path === path && it.locked === UNFINISHED);
    if (!isUnfinished || performance.now() > deadline) return list;
    await pause(100);
  }
}

/** `undefined` if the folder is gone or incomplete; it is then unregistered, too. */
async function reuse(
  git: Git,
  wish: WorktreeWish,
  registered: RegisteredWorktree,
): Promise<Worktree | undefined> {
  const { path, branch, branchOwner, attempt } = wish;
  const { locked, head } = registered;
  if (locked === UNFINISHED) {
    // Both the caller and its git were killed, before any worker had the tree.
    await dropWorktree(git, path);
    return undefined;
  }
  if (locked !== undefined && !locked.startsWith(MARK)) {
    throw refused(path, `it is locked: ${locked}`, `git worktree unlock ${path}`);
  }
  if (!existsSync(path) || readdirSync(path).length === 0) {
    await dropWorktree(git, path);
    return undefined;
  }
  if (branchOwner === 'none' && locked !== markOf(attempt)) {
    const hint = 'move it away: `git worktree move`, or start the run under another name';
    throw refused(path, 'there is a worktree that the lane has not made', hint);
  }
  if (!existsSync(join(path, '.git'))) relink(wish);
  const gitDir = linkedGitDir(path, wish.repository);
  if (typeof gitDir !== 'string') throw refused(path, gitDir.why, 'move the folder away');
  // A worker of the lane may have switched branches: its work is committed to the lane's branch anyway.
  const isOwn = locked !== undefined && branchOwner === 'lane';
  const isOther = registered.branch !== undefined && registered.branch !== `refs/heads/${branch}`;
  if (isOther && !isOwn) {
    const why = `it is on ${registered.branch}, not on ${branch}`;
    throw refused(path, why, `git -C ${path} switch ${branch}`);
  }
  if (locked === undefined) lockWorktree(gitDir, markOf(attempt));
  return { created: false, head, gitDir };
}

/** Writes the `.git` file again if a worker has deleted it: the rest of the folder is its work. */
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
    // Only now: while git makes the tree, it holds a lock of its own.
    lockWorktree(worktree.gitDir, markOf(attempt));
    return worktree;
  } catch (error) {
    await rollBack(git, wish, madeBranch);
    throw error;
  }
}

/** Returns the commit of a branch that was created here; `undefined` if it existed. */
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
  const mark = markOf(attempt);
  const at = await refAt(git, ref);
  if (at !== undefined) {
    // An earlier try of this attempt created it, and was killed before that was recorded.
    if (branchOwner === 'lane' || (await creationMessage(git, ref)) === mark) return undefined;
    const hint = `rename it: \`git branch --move ${branch} <name>\`, or start the run under another name`;
    throw refused(path, `there is a branch ${branch} that the lane has not made`, hint);
  }
  const create = ['update-ref', '--no-deref', '--create-reflog', '-m', mark, ref, sha, ''];
  await git.text([...UNATTENDED, ...create]);
  return sha;
}

/** The message of the oldest entry in a branch's reflog. */
async function creationMessage(git: Git, ref: string): Promise<string | undefined> {
  const log = await git.maybe(['log', '-g', '--format=%gs', ref, '--'], [128]);
  return log?.trimEnd().split('\n').at(-1);
}

async function verified(git: Git, wish: WorktreeWish): Promise<Worktree> {
  const { gitDir, registered } = await assertWorktree(wish, wish.env);
  const at = await refAt(git, `refs/heads/${wish.branch}`);
  if (at === undefined || registered.head !== at) {
    throw incomplete(wish.path, `HEAD is ${registered.head ?? 'nowhere'} instead of ${at}`);
  }
  const isEmpty = readdirSync(wish.path).every((name) => name === '.git');
  if (isEmpty && (await git.text(['ls-tree', '-z', at])) !== '') {
    throw incomplete(wish.path, 'no file is in it');
  }
  return { created: true, head: at, gitDir };
}

function incomplete(path: string, why: string): ExplainedError {
  return new ExplainedError(`git made ${path}, but ${why}`, {
    hint: 'see whether the disk is full, and whether `git worktree add` works there by hand',
  });
}

/** Removes only what was made here: the folder did not exist or was empty before. */
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
