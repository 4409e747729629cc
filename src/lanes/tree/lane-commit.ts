/**
 * Commits a worker's work to its lane's branch. lanehold commits itself, because the worker may not be able to, or may
 * have committed only a part, or on another branch.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError } from '../../base/errors.ts';
import { isDeniedPath } from '../../base/files/denied-paths.ts';
import type { Git } from '../../base/git/git.ts';
import { splitNul } from '../../base/git/paths.ts';
import {
  checkedOutBranch,
  commitTree,
  isAncestor,
  moveRef,
  refsAt,
  treeOf,
} from '../../base/git/plumbing.ts';
import { copyIndex } from '../../base/git/private-index.ts';
import { projectPlace } from '../../base/git/project.ts';
import { signed } from './sign.ts';

/** `headBefore` is the lane's last commit before the attempt, or `startSha`. */
export interface LaneCommit
  extends Readonly<Record<'branch' | 'startSha' | 'headBefore' | 'tree' | 'message', string>> {
  readonly git: Git;
  /** An index of exactly that tree, made a moment ago; without it, git reads the files again. */
  readonly index?: string;
  readonly author: { readonly name: string; readonly email: string };
  readonly now: Date;
}

/** The author of lanehold's commits for a lane, whatever identity git's settings name. */
export const authorOf = ({ key }: { readonly key: string }): LaneCommit['author'] => ({
  name: `lane ${key}`,
  email: `${key}@lanehold.localhost`,
});

/**
 * Commits on top of the worker's commits, or of the lane's earlier head if the worker's history is not usable; makes no
 * commit without a difference. Then sets the branch, HEAD and the index to that commit, without changing files. The
 * worker must have ended.
 */
export async function commitLane(lane: LaneCommit) {
  const { git, branch, tree, message, author, now: at } = lane;
  const found = await lookAround(git, branch);
  const { parent, flags } = await parentOf(lane, await checkedOutCommit(lane, found));
  const sha =
    (await treeOf(git, parent)) === tree
      ? parent
      : await signed(git, commitTree(git, { tree, parents: [parent], message, author, at }));
  await returnTo(git, found, sha, lane.index);
  return { sha, flags: [...found.flags, ...flags] };
}

/**
 * Puts the worktree back on its lane's branch without a commit, with every file as it is, because the next attempt
 * would refuse another branch. The worker must have ended.
 *
 * @param fallback the commit for a branch that is gone.
 */
export async function backOnBranch(git: Git, branch: string, fallback: string) {
  const found = await lookAround(git, branch);
  if (!found.isCheckedOut) await returnTo(git, found, found.at ?? fallback);
  return found.flags;
}

type Found = Awaited<ReturnType<typeof lookAround>>;

/** The position of the lane's branch, and signs of work elsewhere: on another branch, or in the stash. */
async function lookAround(git: Git, branch: string) {
  const ref = `refs/heads/${branch}`;
  const refs = await refsAt(git, ref, STASH);
  // A branch that is gone may still be checked out.
  const isCheckedOut = (await checkedOutBranch(git)) === ref;
  const isStashed = refs.has(STASH) && (await hasStashed(git, branch));
  const flags = [isCheckedOut ? [] : 'branch-switched', isStashed ? 'stashed' : []].flat();
  return { ref, at: refs.get(ref), isCheckedOut, flags };
}

const STASH = 'refs/stash';

/** The commit at HEAD; `undefined` if there is none. */
async function checkedOutCommit({ git, headBefore }: LaneCommit, { at, isCheckedOut }: Found) {
  if (isCheckedOut && at === headBefore) return headBefore;
  // HEAD may name a branch that does not exist.
  const args = ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'];
  return (await git.maybe(args, [1, 128]))?.trim();
}

/** Checks the branch out at a commit, without touching files. */
async function returnTo(
  git: Git,
  { ref, at = '', isCheckedOut }: Found,
  sha: string,
  index?: string,
) {
  await endUnfinished(git, ref);
  if (at !== sha && (await moveRef(git, ref, sha, at, 'lanehold: commit')) === 'lost') {
    throw new ExplainedError(`${ref} was moved from elsewhere just now`, {
      hint: 'end what still works on that branch, then try again',
    });
  }
  if (!isCheckedOut) {
    await git.text(['symbolic-ref', '-m', 'lanehold: back on the lane', 'HEAD', ref]);
  }
  const { gitDir } = projectPlace(git.directory);
  if (index === undefined || gitDir === undefined) {
    await git.text(['reset', '--mixed', '--quiet']);
    return;
  }
  const draft = join(gitDir, 'lanehold-index');
  copyIndex(index, draft);
  renameSync(draft, join(gitDir, 'index'));
}

async function parentOf({ git, startSha, headBefore }: LaneCommit, head: string | undefined) {
  const unusable = (...flags: string[]) => ({ parent: headBefore, flags });
  if (head === headBefore) return unusable();
  if (head === undefined || !(await isAncestor(git, startSha, head))) {
    return unusable('history-rewritten');
  }
  const flags: string[] = [];
  if (!(await isAncestor(git, headBefore, head))) flags.push('history-rewritten');
  if (await hasDenied(git, headBefore, head)) return unusable(...flags, 'denied-committed');
  return { parent: head, flags };
}

/** Whether commits have a secret file: they are not used, because the history keeps what a later one removes. */
async function hasDenied(git: Git, from: string, to: string): Promise<boolean> {
  const args = ['log', '-z', '-m', '--format=', '--name-only', '--no-renames', `${from}..${to}`];
  return splitNul(await git.text(args)).some(isDeniedPath);
}

/** Whether the stash has an entry of the branch: all worktrees share one stash, with the branch of each entry. */
async function hasStashed(git: Git, branch: string): Promise<boolean> {
  const entries = splitNul(await git.text(['log', '-z', '-g', '--format=%gs', STASH, '--']));
  return entries.some((it) => it.startsWith(`WIP on ${branch}:`) || it.startsWith(`On ${branch}:`));
}

/** Removes locks of a git process that was killed with the worker, and ends its rebase. */
async function endUnfinished(git: Git, ref: string): Promise<void> {
  const { gitDir, identity } = projectPlace(git.directory);
  const own = gitDir === undefined ? [] : [join(gitDir, 'index.lock'), join(gitDir, 'HEAD.lock')];
  // A linked worktree shares its branches.
  for (const file of [...own, join(identity, `${ref}.lock`)]) rmSync(file, { force: true });
  const rebases = ['rebase-merge', 'rebase-apply'].map((it) => join(gitDir ?? identity, it));
  if (rebases.some((it) => existsSync(it))) await git.maybe(['rebase', '--quit'], [1, 128]);
}
