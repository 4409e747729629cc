/** Files, folders and refs that lanes use besides the database. */
import { join } from 'node:path';
import type { Home } from '../../base/files/home.ts';
import type { Run } from '../../store/lanes.ts';

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
  join(home.locks, `pull-watch-${runId}.lock`);

/** The folder of all worktrees that lanehold makes, unless the user has configured another one. */
export const worktreesRoot = (home: Home, configured: string | undefined): string =>
  configured ?? join(home.root, 'worktrees');

export const checkpointRef = (run: Run, key: string): string =>
  `refs/lanehold/${run.id}/${key}/ckpt`;

/** The ref of a merge of several dependencies, from which a lane starts. */
export const baseRef = (run: Run, key: string): string => `refs/lanehold/${run.id}/${key}/base`;

/** The ref for what is no lane's: a commit to which somebody has moved the integration, changes of the main checkout. */
export const asideRef = (run: Run, name: string): string => `refs/lanehold/${run.id}/aside/${name}`;
