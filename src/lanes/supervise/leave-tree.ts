/** What becomes of a lane's tree when an attempt ends without a verdict on it. */
import { statSync } from 'node:fs';
import { gitIn } from '../../git/git.ts';
import { projectPlace } from '../../git/project.ts';
import { isReady } from '../lane-tree.ts';
import { backOnBranch } from '../worktree/lane-commit.ts';
import { linkedGitDir } from '../worktree/place.ts';
import { takeCheckpoint } from './checkpoint.ts';
import type { Supervision } from './supervision.ts';
import { tellFailure } from './tell-failure.ts';

/** Why the lane has no tree any more; git in that folder would be git somewhere else. */
export function lostTree(it: Supervision): string | undefined {
  const { worktree } = it.attempt();
  if (!isThere(worktree)) return `worktree: ${worktree} is gone`;
  const gitDir = linkedGitDir(worktree, projectPlace(it.run().repository));
  return typeof gitDir === 'string' ? undefined : `worktree: ${worktree}: ${gitDir.why}`;
}

export function isThere(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Keeps all of it, and leaves it in a state that the next attempt can begin from. */
export async function leaveTree(it: Supervision, reason: string): Promise<void> {
  // Half of a tree that was being made would take the place of a whole one.
  if (lostTree(it) !== undefined || !(it.lane().adopted || wasReady(it))) return;
  await takeCheckpoint(it, reason);
  await leaveOnBranch(it);
}

/** What hinders a checkpoint does not keep going what is to end. */
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
  // Somebody else's tree stands where its owner wants it.
  if (adopted) return;
  const { worktree, startSha } = it.attempt();
  it.flag(...(await backOnBranch(gitIn(worktree, it.context.env), branch, headSha ?? startSha)));
}
