/** The repository of a run, where no working tree is meant. */
import { type Git, gitIn } from '../../git/git.ts';
import { type ProjectPlace, placeOfGitDir } from '../../git/project.ts';
import type { Lane } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';

/** A large merge takes longer than a look. */
const TIMEOUT_MS = 120_000;

/** In place of the commit of a ref that is to be made. */
export const NO_COMMIT = '0'.repeat(40);

export function gitOfRun({ env }: Pick<LaneContext, 'env'>, run: Run): Git {
  return gitIn(run.repository, env, { timeoutMs: TIMEOUT_MS });
}

export function placeOfRun(run: Run): ProjectPlace {
  return { ...placeOfGitDir(run.commonDir), root: run.repository };
}

export function laneBranch({ branch }: Pick<Lane, 'branch'>): string {
  return branch.startsWith('refs/') ? branch : `refs/heads/${branch}`;
}

/** `main` for `refs/heads/main`. */
export function shortRef(ref: string): string {
  return ref.replace(/^refs\/(?:heads|tags|remotes)\//, '');
}
