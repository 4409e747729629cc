/** The repository of a run, independent of any working tree. */
import type { Environment } from '../../base/environment.ts';
import type { Git } from '../../base/git/git.ts';
import { CHECKOUT_MS, gitIn } from '../../base/git/git-in.ts';
import type { ProjectPlace } from '../../base/git/project.ts';
import type { Lane } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from './context.ts';

export function gitOfRun({ env }: Pick<LaneContext, 'env'>, run: Run): Git {
  return gitIn(run.repository, env);
}

/** Runs git on a repository as a whole, in whatever folder the caller is. */
export function repositoryGit({ identity }: ProjectPlace, env: Environment): Git {
  // A partial clone downloads missing objects for a checkout.
  return gitIn(identity, env, { gitDir: identity, network: true, timeoutMs: CHECKOUT_MS });
}

export function laneBranch({ branch }: Pick<Lane, 'branch'>): string {
  return branch.startsWith('refs/') ? branch : `refs/heads/${branch}`;
}
