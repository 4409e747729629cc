/** Files, folders and refs that lanes use besides the database. */
import { join } from 'node:path';
import type { Home } from '../../base/files/home.ts';
import type { Run } from '../../store/runs.ts';

export const locksOf = (home: Home): string => join(home.root, 'locks');

export const attemptDir = (home: Home, attemptId: string): string =>
  join(home.runs, 'lanes', attemptId);

/** The folder of a lane's facts that are not in the database. */
export const laneDir = (home: Home, laneId: string): string => attemptDir(home, laneId);

/** The folder of trees for a run's validations, which run one after the other. */
export const validationTrees = (home: Home, run: Pick<Run, 'id'>): string =>
  join(attemptDir(home, run.id), 'trees');

export const supervisorLock = (dir: string): string => join(dir, 'sup.lock');

/** The lock of the process that watches a run's pull requests. */
export const pullLock = (home: Home, runId: string): string =>
  join(locksOf(home), `pull-watch-${runId}.lock`);

/** The folder of all worktrees that lanehold makes, unless the user has configured another one. */
export const worktreesRoot = (home: Home, configured: string | undefined): string =>
  configured ?? join(home.root, 'worktrees');

export const checkpointRef = (run: Run, key: string): string =>
  `refs/lanehold/${run.id}/${key}/ckpt`;

/** The ref of a merge of several dependencies, from which a lane starts. */
export const baseRef = (run: Run, key: string): string => `refs/lanehold/${run.id}/${key}/base`;

/** The ref for a commit to which somebody else has moved the integration. */
export const asideRef = (run: Run, sha: string): string =>
  `refs/lanehold/${run.id}/aside/${sha.slice(0, 12)}`;

/** The ref for changes in the user's own checkout while the lane was at work. */
export const mainCheckoutRef = (run: Run, key: string): string =>
  `refs/lanehold/${run.id}/${key}/main-checkout`;
