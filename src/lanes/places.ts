/** Where lanes keep what is not in the database. */
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import type { Home } from '../store/home.ts';
import type { Run } from '../store/runs.ts';

export const locksOf = (home: Home): string => join(home.root, 'locks');

export const attemptDir = (home: Home, attemptId: string): string =>
  join(home.runs, 'lanes', attemptId);

export const supervisorLock = (dir: string): string => join(dir, 'sup.lock');

/** The folder of all working trees of a repository, outside of it. */
export function worktreesRoot(home: Home, run: Run, configured: string | undefined): string {
  const repository = basename(run.repository).replaceAll(/[^\w.-]+/g, '-') || 'repository';
  const identity = createHash('sha256').update(run.commonDir).digest('hex').slice(0, 8);
  return join(configured ?? join(home.root, 'worktrees'), `${repository}-${identity}`, run.name);
}

export const checkpointRef = (run: Run, key: string): string =>
  `refs/lanehold/${run.id}/${key}/ckpt`;
