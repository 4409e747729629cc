/** Starts the supervisor's reconcile from a hook, if the project has an open run. */
import { join } from 'node:path';
import type { Store } from '../../store/open.ts';
import { isDue } from './activity.ts';
import type { Caller } from './handler.ts';

/** Many agents cause many hooks; one check in this time is enough for all of them. */
const EVERY_MS = 1_000;

/** Starts it once what was written is committed. */
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
