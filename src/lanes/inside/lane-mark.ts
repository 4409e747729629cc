/**
 * Signs that a session works inside a lane. Every hook of every session looks for them, so they are
 * read from the environment and one file of git; none of them is believed before the store was asked
 * (`inside-lane.ts`).
 */
import { existsSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../../environment.ts';
import { projectPlace } from '../../git/project.ts';
import { homeOf } from '../../store/home.ts';
import { attemptDir } from '../paths.ts';

export type LaneMark =
  /** A worker that lanehold started: its environment says so. */
  | {
      readonly by: 'environment';
      readonly attempt: string;
      readonly lane: string;
      readonly worktree: string;
      /** The attempt's directory; it may not exist. */
      readonly dir: string;
    }
  /** A working tree that was adopted: whoever works there does so for the lane. */
  | { readonly by: 'worktree'; readonly worktree: string };

/** Never throws: where nothing can be looked at, there is no lane. */
export function laneMark(env: Environment, cwd: string): LaneMark | undefined {
  try {
    return markInEnvironment(env) ?? markAt(cwd);
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** An id as lanehold makes them: it becomes a folder's name. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function markInEnvironment(env: Environment): LaneMark | undefined {
  const attempt = env.LANEHOLD_ATTEMPT ?? '';
  const lane = env.LANEHOLD_LANE ?? '';
  const worktree = env.LANEHOLD_WORKTREE ?? '';
  if (!ID.test(attempt) || !ID.test(lane) || !isAbsolute(worktree)) return undefined;
  const dir = attemptDir(homeOf(env), attempt);
  return { by: 'environment', attempt, lane, worktree, dir };
}

/** In git's own directory of the working tree: it goes when the tree does. */
const MARK = 'lanehold-lane';

/**
 * Marks a linked working tree as an adopted lane's, so that hooks need not ask the store whether it
 * is one. The mark outlives the lane: the store has the last word.
 *
 * @param gitDir git's directory of that working tree.
 */
export function markAdopted(gitDir: string, laneId: string): void {
  writeFileSync(join(gitDir, MARK), `${laneId}\n`);
}

function markAt(cwd: string): LaneMark | undefined {
  const { gitDir, identity, root } = projectPlace(cwd);
  // The main working tree is nobody's lane.
  if (gitDir === undefined || gitDir === identity) return undefined;
  return existsSync(join(gitDir, MARK)) ? { by: 'worktree', worktree: root } : undefined;
}
