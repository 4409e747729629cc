/**
 * What a worker leaves behind becomes a commit on its lane's own branch. lanehold commits, the worker
 * need not: it may not be able to, may have committed half of it, or on another branch.
 */
import { rmSync } from 'node:fs';
import { ExplainedError } from '../../errors.ts';
import { type Git, UNATTENDED } from '../../git/git.ts';
import { splitNul } from '../../git/paths.ts';
import { commitTree, isAncestor, moveRef, refAt, treeOf } from '../../git/plumbing.ts';
import { isDeniedPath } from './denied-paths.ts';

export interface LaneCommit {
  /** In the worktree. */
  readonly git: Git;
  /** Short name of the lane's branch. */
  readonly branch: string;
  /** Commit that the attempt started from. */
  readonly startSha: string;
  /** The lane's last commit before the attempt, or `startSha`. */
  readonly headBefore: string;
  /** What was taken of the worktree. */
  readonly tree: string;
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  readonly now: Date;
}

/** `denied-committed`: the worker's own commits hold a file that may not leave; they are left aside. */
export type LaneFlag = 'branch-switched' | 'history-rewritten' | 'stashed' | 'denied-committed';

export interface CommittedLane {
  readonly sha: string;
  readonly flags: readonly LaneFlag[];
}

/**
 * Commits on top of what the worker committed, or before it where its history is not the lane's any
 * more; nothing new if nothing differs. Then the branch, HEAD and the index stand at that commit; no
 * file is touched. The worker has to be gone.
 */
export async function commitLane(lane: LaneCommit): Promise<CommittedLane> {
  const { git, branch, tree } = lane;
  const ref = `refs/heads/${branch}`;
  const [head, elsewhere] = await Promise.all([
    git.maybe(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], [1, 128]),
    whereElse(git, branch),
  ]);
  const { parent, flags } = await parentOf(lane, head?.trim());
  const sha = (await treeOf(git, parent)) === tree ? parent : await write(lane, parent);
  await endHalfDone(git, ref);
  await pointAt(git, ref, sha);
  await standOn(git, ref);
  return { sha, flags: [...elsewhere, ...flags] };
}

/**
 * Where nothing is committed: the worktree stands on its lane's branch again, with every file as it
 * is. The next attempt would not take one that stands elsewhere. The worker has to be gone.
 *
 * @param fallback commit for a branch that is there no longer.
 */
export async function backOnBranch(
  git: Git,
  branch: string,
  fallback: string,
): Promise<readonly LaneFlag[]> {
  const ref = `refs/heads/${branch}`;
  const flags = await whereElse(git, branch);
  if (!flags.includes('branch-switched')) return flags;
  await endHalfDone(git, ref);
  if ((await refAt(git, ref)) === undefined) await pointAt(git, ref, fallback);
  await standOn(git, ref);
  return flags;
}

/** Other places that the worker has put its work in, or that it has left the tree at. */
async function whereElse(git: Git, branch: string): Promise<LaneFlag[]> {
  const [symbolic, stashed] = await Promise.all([
    git.maybe(['symbolic-ref', '--quiet', 'HEAD'], [1, 128]),
    hasStashed(git, branch),
  ]);
  const switched = symbolic?.trim() !== `refs/heads/${branch}`;
  return [
    ...(switched ? (['branch-switched'] as const) : []),
    ...(stashed ? (['stashed'] as const) : []),
  ];
}

async function standOn(git: Git, ref: string): Promise<void> {
  await git.text([...UNATTENDED, 'symbolic-ref', '-m', 'lanehold: back on the lane', 'HEAD', ref]);
  await git.text([...UNATTENDED, 'reset', '--mixed', '--quiet']);
}

const write = ({ git, tree, message, author, now }: LaneCommit, parent: string): Promise<string> =>
  commitTree(git, { tree, parents: [parent], message, author, at: now });

async function parentOf(
  { git, startSha, headBefore }: LaneCommit,
  head: string | undefined,
): Promise<{ parent: string; flags: LaneFlag[] }> {
  if (head === headBefore) return { parent: headBefore, flags: [] };
  if (head === undefined || !(await isAncestor(git, startSha, head))) {
    return { parent: headBefore, flags: ['history-rewritten'] };
  }
  const rewritten = (await isAncestor(git, headBefore, head))
    ? []
    : (['history-rewritten'] as const);
  if (await hasDenied(git, headBefore, head)) {
    return { parent: headBefore, flags: [...rewritten, 'denied-committed'] };
  }
  return { parent: head, flags: [...rewritten] };
}

/** What was committed once is in the history, even if a later commit removes it. */
async function hasDenied(git: Git, from: string, to: string): Promise<boolean> {
  const args = ['log', '-z', '-m', '--format=', '--name-only', '--no-renames', `${from}..${to}`];
  return splitNul(await git.text(args)).some(isDeniedPath);
}

/** All worktrees share one stash; git notes the branch that each entry was made on. */
async function hasStashed(git: Git, branch: string): Promise<boolean> {
  if ((await refAt(git, 'refs/stash')) === undefined) return false;
  const entries = splitNul(await git.text(['log', '-z', '-g', '--format=%gs', 'refs/stash', '--']));
  return entries.some((it) => it.startsWith(`WIP on ${branch}:`) || it.startsWith(`On ${branch}:`));
}

/** The branch is the lane's: wherever it was moved to, this is what it names now. */
async function pointAt(git: Git, ref: string, sha: string): Promise<void> {
  for (let tries = 0; tries < 5; tries += 1) {
    const from = (await refAt(git, ref)) ?? '';
    if (from === sha) return;
    if ((await moveRef(git, ref, sha, from, 'lanehold: commit of the lane')) === 'moved') return;
  }
  throw new ExplainedError(`${ref} is moved by somebody else all the time`, {
    hint: 'end what still works on that branch, then try again',
  });
}

/** A rebase, and the locks of a git that was killed with the worker. */
async function endHalfDone(git: Git, ref: string): Promise<void> {
  const names = ['index.lock', 'HEAD.lock', `${ref}.lock`];
  for (const name of names) {
    const file = await git.text(['rev-parse', '--path-format=absolute', '--git-path', name]);
    rmSync(file.replace(/\n$/, ''), { force: true });
  }
  await git.maybe([...UNATTENDED, 'rebase', '--quit'], [1, 128]);
}
