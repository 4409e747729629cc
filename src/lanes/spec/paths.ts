/** Files, folders and refs that lanes use besides the database. */
import { join } from 'node:path';
import type { Home } from '../../base/files/home.ts';
import type { Run } from '../../store/runs.ts';

export const locksOf = (home: Home): string => join(home.root, 'locks');

export const attemptDir = (home: Home, attemptId: string): string =>
  join(home.runs, 'lanes', attemptId);

/** Facts of a lane that are not in the database. */
export const laneDir = (home: Home, laneId: string): string => attemptDir(home, laneId);

/** Trees in which a run's validations run, one after the other. */
export const validationTrees = (home: Home, run: Pick<Run, 'id'>): string =>
  join(attemptDir(home, run.id), 'trees');

export const supervisorLock = (dir: string): string => join(dir, 'sup.lock');

/** Held by the process that watches a run's pull requests. */
export const pullLock = (home: Home, runId: string): string =>
  join(locksOf(home), `pull-watch-${runId}.lock`);

/** Folder of all worktrees that lanehold makes, unless the user has configured another one. */
export const worktreesRoot = (home: Home, configured: string | undefined): string =>
  configured ?? join(home.root, 'worktrees');

export const checkpointRef = (run: Run, key: string): string =>
  `refs/lanehold/${run.id}/${key}/ckpt`;

/** The merge of several dependencies that a lane starts from. */
export const baseRef = (run: Run, key: string): string => `refs/lanehold/${run.id}/${key}/base`;

/** What somebody else has moved the tip of the integration to. */
export const asideRef = (run: Run, sha: string): string =>
  `refs/lanehold/${run.id}/aside/${sha.slice(0, 12)}`;

/** Changes in the user's own checkout that were made while the lane was at work. */
export const mainCheckoutRef = (run: Run, key: string): string =>
  `refs/lanehold/${run.id}/${key}/main-checkout`;
