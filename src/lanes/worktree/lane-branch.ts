/** The branch of a lane: made for it, or known to be its own; never somebody else's. */
import { type Git, UNATTENDED } from '../../git/git.ts';
import { refAt } from '../../git/plumbing.ts';
import type { RegisteredWorktree } from '../../git/worktrees.ts';
import { refused } from './place.ts';

/** By which a lock and a branch are known to be of a lane: other tools keep off what is locked. */
export const MARK = 'lanehold:';
export const markOf = (attempt: string): string => `${MARK}${attempt}`;

export interface BranchWish {
  /** Of the worktree. */
  readonly path: string;
  readonly branch: string;
  /** Commit that a new branch starts at. */
  readonly sha: string;
  readonly attempt: string;
  /**
   * `lane` once it is recorded that the lane has made its branch: then it is taken wherever it stands.
   * Any other branch of that name is somebody else's.
   */
  readonly branchOwner?: 'lane' | 'nobody';
}

/** Returns the commit of a branch that was made here, `undefined` if it was there. */
export async function ensureBranch(
  git: Git,
  { path, branch, sha, attempt, branchOwner }: BranchWish,
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
