/** Makes the worktree of a lane, or uses the existing one. It never overwrites files of the user. */
import { existsSync, rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ExplainedError } from '../../base/errors.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import type { Git } from '../../base/git/git.ts';
import { deleteRef, refsAt } from '../../base/git/plumbing.ts';
import {
  addWorktree,
  dropWorktree,
  listWorktrees,
  lockWorktree,
  type RegisteredWorktree,
  UNFINISHED,
} from '../../base/git/worktrees.ts';
import { withWorktreesLock } from '../../base/process/with-lock.ts';
import { repositoryGit } from '../spec/context.ts';
import { assertPlace, hasContent, linkedGitDir, MARK, type Placed, refused } from './place.ts';

export interface WorktreeWish
  extends Placed,
    Readonly<Record<'branch' | 'sha' | 'attempt' | 'locks', string>> {
  /**
   * `lane` once it is recorded that the lane has created its branch, which then counts with any commit. Another branch
   * of that name is not the lane's.
   */
  readonly branchOwner?: 'lane' | 'none';
  /** Records that the branch, which does not exist yet, will be the lane's, even if this process is killed. */
  readonly claim?: () => void;
  readonly env: NodeJS.ProcessEnv;
}

interface Making extends WorktreeWish {
  readonly git: Git;
}

const markOf = (attempt: string): string => `${MARK}${attempt}`;

const UNFINISHED_WAIT_MS = 5_000;

/** @throws {ExplainedError} if something else is in the way, which is left as it is. */
export async function ensureWorktree(wish: WorktreeWish) {
  return withWorktreesLock(wish.locks, wish.repository, async () => {
    const git = repositoryGit(wish.repository, wish.env);
    const making = { ...wish, git };
    const list = await finishedList(making);
    assertPlace(wish, list);
    const registered = list.find((it) => it.path === wish.path);
    const reused = registered && (await reuse(making, registered));
    const others = list.filter((it) => it !== registered);
    return reused ?? create(making, others);
  });
}

/** Waits for a git process that its caller has left and that may still be making the worktree. */
async function finishedList({ git, path }: Making): Promise<RegisteredWorktree[]> {
  const deadline = performance.now() + UNFINISHED_WAIT_MS;
  for (;;) {
    const list = await listWorktrees(git);
    const isUnfinished = list.some((it) => it.path === path && it.locked === UNFINISHED);
    if (!isUnfinished || performance.now() > deadline) return list;
    await pause(100);
  }
}

/** The existing worktree; `undefined` if the folder is gone or incomplete, which also unregisters it. */
async function reuse(making: Making, { locked, branch: at }: RegisteredWorktree) {
  const { git, path, branch, branchOwner, attempt, repository } = making;
  if (locked !== undefined && locked !== UNFINISHED && !locked.startsWith(MARK)) {
    throw refused(path, `it is locked: ${locked}`, `git worktree unlock ${path}`);
  }
  // If it is unfinished, both the caller and its git were killed, before any worker had the tree.
  if (locked === UNFINISHED || !hasContent(path)) {
    await dropWorktree(git, path);
    return undefined;
  }
  if (branchOwner === 'none' && locked !== markOf(attempt)) {
    const hint = 'move it away: `git worktree move`, or start the run under another name';
    throw refused(path, 'there is a worktree that the lane has not made', hint);
  }
  const gitDir = linkedGitDir(path, repository);
  if (typeof gitDir !== 'string') throw refused(path, gitDir.why, 'move the folder away');
  // A worker of the lane may have switched branches: its work is committed to the lane's branch anyway.
  const isOwn = locked !== undefined && branchOwner === 'lane';
  if (at !== undefined && at !== `refs/heads/${branch}` && !isOwn) {
    throw refused(path, `it is on ${at}, not on ${branch}`, `git -C ${path} switch ${branch}`);
  }
  if (locked === undefined) lockWorktree(gitDir, markOf(attempt));
  return { created: false, gitDir };
}

async function create(making: Making, others: readonly RegisteredWorktree[]) {
  const { git, path, branch, attempt, repository } = making;
  if (hasContent(path)) {
    throw refused(path, 'something is in that folder already', 'move it away');
  }
  const madeBranch = await ensureBranch(making, others);
  makePrivateFolder(dirname(path));
  try {
    await addWorktree(git, path, branch);
    const gitDir = linkedGitDir(path, repository);
    if (typeof gitDir !== 'string') {
      throw refused(path, gitDir.why, 'resume the lane to make it anew');
    }
    // git holds a lock of its own while it makes the tree.
    lockWorktree(gitDir, markOf(attempt));
    return { created: true, gitDir };
  } catch (error) {
    await rollBack(making, madeBranch);
    throw error;
  }
}

/**
 * Checks that no branch is in the way: git makes no branch below the name of another one.
 *
 * @returns the commit of the branch itself, if it exists.
 * @throws {ExplainedError} that says how to rename it.
 */
export async function assertNoBranchAbove(git: Git, branch: string): Promise<string | undefined> {
  const parts = branch.split('/');
  const folders = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
  const found = await refsAt(git, ...folders.map((it) => `refs/heads/${it}`));
  for (const above of folders.slice(0, -1)) {
    if (!found.has(`refs/heads/${above}`)) continue;
    const free = `${above.replaceAll('/', '-')}-of-yours`;
    throw new ExplainedError(`the branch ${above} is in the way of branches below that name`, {
      hint: `rename it: \`git branch --move ${above} ${free}\``,
    });
  }
  return found.get(`refs/heads/${branch}`);
}

/** The commit of a branch that was created here; `undefined` if it existed. */
async function ensureBranch(
  { git, path, branch, sha, attempt, branchOwner, claim }: Making,
  others: readonly RegisteredWorktree[],
): Promise<string | undefined> {
  const ref = `refs/heads/${branch}`;
  const elsewhere = others.find((it) => it.branch === ref);
  if (elsewhere !== undefined) {
    const hint = `check out another branch there: \`git -C ${elsewhere.path} switch --detach\``;
    throw refused(path, `${branch} is checked out in ${elsewhere.path}`, hint);
  }
  const mark = markOf(attempt);
  if ((await assertNoBranchAbove(git, branch)) !== undefined) {
    // An earlier try of this attempt created it, and was killed before that was recorded.
    if (branchOwner === 'lane' || (await creationMessage(git, ref)) === mark) return undefined;
    const hint = `rename it: \`git branch --move ${branch} <name>\`, or start the run under another name`;
    throw refused(path, `there is a branch ${branch} that the lane has not made`, hint);
  }
  claim?.();
  await git.text(['update-ref', '--no-deref', '--create-reflog', '-m', mark, ref, sha, '']);
  return sha;
}

/** The message of the oldest entry in a branch's reflog. */
async function creationMessage(git: Git, ref: string): Promise<string | undefined> {
  const log = await git.maybe(['log', '-g', '--format=%gs', ref, '--'], [128]);
  return log?.trimEnd().split('\n').at(-1);
}

/** Removes what was made here: the folder did not exist or was empty before. */
async function rollBack({ git, path, branch }: Making, made: string | undefined): Promise<void> {
  const known = (await listWorktrees(git)).some((it) => it.path === path);
  if (known) await dropWorktree(git, path);
  else if (existsSync(path) && !hasContent(path)) rmdirSync(path);
  if (made !== undefined) await deleteRef(git, `refs/heads/${branch}`, made);
}
