/**
 * Marks that show that a session works in a lane. Every hook of every session looks for them, so they are read from the
 * environment and from one file of git only. A mark is not trusted until the store confirms it (`inside-lane.ts`).
 */
import { existsSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { projectPlace } from '../../base/git/project.ts';
import { attemptDir } from './paths.ts';

export type LaneMark =
  /** A worker that lanehold started: set in its environment. The attempt's `dir` may not exist. */
  | ({ readonly by: 'environment' } & Readonly<
      Record<'attempt' | 'lane' | 'worktree' | 'dir', string>
    >)
  /** An adopted worktree: all work in it is the lane's. */
  | { readonly by: 'worktree'; readonly worktree: string };

/** The mark; never throws, since an unreadable mark counts as none. */
export function laneMark(env: NodeJS.ProcessEnv, cwd: string): LaneMark | undefined {
  return attempt(() => markInEnvironment(env) ?? markAt(cwd));
}

/** The form of lanehold's ids. The id becomes a folder's name, so nothing else is accepted. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function markInEnvironment(env: NodeJS.ProcessEnv): LaneMark | undefined {
  const { LANEHOLD_ATTEMPT: id = '', LANEHOLD_LANE: lane = '' } = env;
  const worktree = env.LANEHOLD_WORKTREE ?? '';
  if (!ID.test(id) || !ID.test(lane) || !isAbsolute(worktree)) return undefined;
  const dir = attemptDir(homeOf(env), id);
  return { by: 'environment', attempt: id, lane, worktree, dir };
}

/** A file in git's own directory of the working tree, so it is removed together with the tree. */
const MARK = 'lanehold-lane';

/**
 * Marks a linked working tree as an adopted lane's, so that hooks need not open the store to find out.
 * The mark may outlive the lane; the store decides.
 *
 * @param gitDir git's directory of that working tree.
 */
export function markAdopted(gitDir: string, laneId: string): void {
  writeFileSync(join(gitDir, MARK), `${laneId}\n`);
}

function markAt(cwd: string): LaneMark | undefined {
  const { gitDir, identity, root } = projectPlace(cwd);
  // The main working tree is never a lane.
  if (gitDir === undefined || gitDir === identity) return undefined;
  return existsSync(join(gitDir, MARK)) ? { by: 'worktree', worktree: root } : undefined;
}
