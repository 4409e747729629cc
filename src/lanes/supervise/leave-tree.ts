/** Leaves a lane's tree in order when an attempt ends without a verdict. */
import { statSync } from 'node:fs';
import { gitIn } from '../../git/git.ts';
import { projectPlace } from '../../git/project.ts';
import { isReady } from '../lane-tree.ts';
import { backOnBranch } from '../worktree/lane-commit.ts';
import { linkedGitDir } from '../worktree/place.ts';
import { takeCheckpoint } from './checkpoint.ts';
import { type Supervision, tellFailure } from './supervision.ts';

/** Why the lane has no worktree any more; git in that folder would run on another repository. */
export function lostTree(it: Supervision): string | undefined {
  const { worktree } = it.attempt();
  if (!isThere(worktree)) return `worktree: ${worktree} is gone`;
  const gitDir = linkedGitDir(worktree, projectPlace(it.run().repository));
  return typeof gitDir === 'string' ? undefined : `worktree: ${worktree}: ${gitDir.why}`;
}

export function isThere(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Saves the whole tree, and leaves it in a state that the next attempt can begin from. */
export async function leaveTree(it: Supervision, reason: string): Promise<void> {
  // A tree that was not completed must not become the newest checkpoint.
  if (lostTree(it) !== undefined || !(it.lane().adopted || wasReady(it))) return;
  await takeCheckpoint(it, reason);
  await leaveOnBranch(it);
}

/** A failed checkpoint does not keep the attempt from ending. */
export async function leaveIfPossible(it: Supervision, reason: string): Promise<void> {
  try {
    await leaveTree(it, reason);
  } catch (error) {
    tellFailure(it, 'checkpoint.failed', error);
  }
}

function wasReady(it: Supervision): boolean {
  const { gitDir } = projectPlace(it.attempt().worktree);
  return gitDir !== undefined && isReady(gitDir);
}

export async function leaveOnBranch(it: Supervision): Promise<void> {
  const { branch, headSha, adopted } = it.lane();
  // An adopted tree stays as its owner left it.
  if (adopted) return;
  const { worktree, startSha } = it.attempt();
  it.flag(...(await backOnBranch(gitIn(worktree, it.context.env), branch, headSha ?? startSha)));
}
