/** What every function of lanes is given, the git of a run's repository, and events. */
import type { Git } from '../../base/git/git.ts';
import { CHECKOUT_MS, gitIn } from '../../base/git/git-in.ts';
import type { ProjectPlace } from '../../base/git/project.ts';
import { laneEventStore, type NewLaneEvent } from '../../store/lane-events.ts';
import type { Lane, Run } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';

export interface LaneContext {
  readonly store: Store;
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => Date;
}

/** Adds an event of a lane; call it in the transaction of the change. */
export function addLaneEvent(
  { store, now }: Pick<LaneContext, 'store' | 'now'>,
  { id: laneId, runId }: { readonly id: string; readonly runId: string },
  event: Omit<NewLaneEvent, 'runId' | 'laneId'>,
): void {
  laneEventStore(store).add({ ...event, runId, laneId }, now());
}

/** Clocks are often corrected by small amounts. */
const TOLERANCE_MS = 60_000;

/** Whether the clock was set back since; the time since then is then unknown. */
export const wasSetBack = (noted: Date, now: Date): boolean =>
  noted.getTime() - now.getTime() > TOLERANCE_MS;

export function gitOfRun({ env }: Pick<LaneContext, 'env'>, run: Run): Git {
  return gitIn(run.repository, env);
}

/** Runs git on a repository as a whole, in whatever folder the caller is. */
export function repositoryGit({ identity }: ProjectPlace, env: NodeJS.ProcessEnv): Git {
  // A partial clone downloads missing objects for a checkout.
  return gitIn(identity, env, { gitDir: identity, network: true, timeoutMs: CHECKOUT_MS });
}

export function laneBranch({ branch }: Pick<Lane, 'branch'>): string {
  return branch.startsWith('refs/') ? branch : `refs/heads/${branch}`;
}
