/** Where lanes keep what is not in the database. */
import { join } from 'node:path';
import type { Home } from '../store/home.ts';
import type { Run } from '../store/runs.ts';

export const locksOf = (home: Home): string => join(home.root, 'locks');

export const attemptDir = (home: Home, attemptId: string): string =>
  join(home.runs, 'lanes', attemptId);

export const supervisorLock = (dir: string): string => join(dir, 'sup.lock');

/** Folder of all working trees that lanehold makes, unless the user names another one. */
export const worktreesRoot = (home: Home, configured: string | undefined): string =>
  configured ?? join(home.root, 'worktrees');

export const checkpointRef = (run: Run, key: string): string =>
  `refs/lanehold/${run.id}/${key}/ckpt`;

/** Of a lane that starts from several others: their merge. */
export const baseRef = (run: Run, key: string): string => `refs/lanehold/${run.id}/${key}/base`;

/** What the user's own checkout held when somebody had written there while the lane was at work. */
export const mainCheckoutRef = (run: Run, key: string): string =>
  `refs/lanehold/${run.id}/${key}/main-checkout`;
