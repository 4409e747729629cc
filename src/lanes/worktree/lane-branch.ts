/** The branch of a lane: created for it, or known to be its own; never another one of that name. */
import { type Git, UNATTENDED } from '../../git/git.ts';
import { refAt } from '../../git/plumbing.ts';
import type { RegisteredWorktree } from '../../git/worktrees.ts';
import { refused } from './place.ts';

/** Marks locks and branches of lanes; other tools respect locked worktrees. */
export const MARK = 'lanehold:';
export const markOf = (attempt: string): string => `${MARK}${attempt}`;

export interface BranchWish {
  /** The path of the worktree. */
  readonly path: string;
  readonly branch: string;
  /** The commit that a new branch starts at. */
  readonly sha: string;
  readonly attempt: string;
  /**
   * `lane` once it is recorded that the lane has created its branch: then it is used whatever commit it
   * names. Any other branch of that name is not the lane's.
   */
  readonly branchOwner?: 'lane' | 'none';
}

/** Returns the commit of a branch that was created here; `undefined` if it existed. */
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
    // An earlier try of this attempt created it, and was killed before that was recorded.
    if (branchOwner === 'lane' || (await creationMessage(git, ref)) === mark) return undefined;
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

/** The message of the oldest entry in a branch's reflog. */
async function creationMessage(git: Git, ref: string): Promise<string | undefined> {
  const log = await git.maybe(['log', '-g', '--format=%gs', ref, '--'], [128]);
  return log?.trimEnd().split('\n').at(-1);
}
