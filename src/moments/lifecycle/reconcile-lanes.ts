/** Starts the supervisor's reconcile from a hook, if the project has an open run. */
import { join } from 'node:path';
import type { Store } from '../../store/open.ts';
import { isDue } from './activity.ts';
import type { Caller } from './handler.ts';

/** One check in this time is enough, because many agents cause many hooks. */
const EVERY_MS = 1_000;

/** Starts it after the commit. */
export function reconcileLanes(store: Store, caller: Caller): void {
  const { env, now } = caller;
  // Processes with a worker's environment are ended with the worker, so none is started from here.
  if (env.LANEHOLD_ATTEMPT) return;
  caller.afterwards(async () => {
    if (!isDue(join(store.home.runs, 'lanes', 'reconcile'), EVERY_MS, now())) return;
    const laneContext = { store, env, now };
    const { dueLanes, unattended, unwatched } = await import('../../lanes/start/eligibility.ts');
    if ([unattended, dueLanes, unwatched].every((due) => due(laneContext).length === 0)) return;
    const { launch, RECONCILE } = await import('../../lanes/start/launch.ts');
    launch(laneContext, RECONCILE);
  });
}
