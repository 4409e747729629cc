/** The repository of a run, independent of any working tree. */
import { type Git, gitIn } from '../../base/git/git.ts';
import { type ProjectPlace, placeOfGitDir } from '../../base/git/project.ts';
import type { Lane } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from './context.ts';

/** Long enough for a large merge. */
const TIMEOUT_MS = 120_000;

export function gitOfRun({ env }: Pick<LaneContext, 'env'>, run: Run): Git {
  return gitIn(run.repository, env, { timeoutMs: TIMEOUT_MS });
}

export function placeOfRun(run: Run): ProjectPlace {
  return { ...placeOfGitDir(run.commonDir), root: run.repository };
}

export function laneBranch({ branch }: Pick<Lane, 'branch'>): string {
  return branch.startsWith('refs/') ? branch : `refs/heads/${branch}`;
}
