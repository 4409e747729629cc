/** Starts the supervisor's reconcile from a hook, if the project has an open run. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../../store/open.ts';
import type { Caller } from './handler.ts';

/** Many agents cause many hooks; one check in this time is enough for all of them. */
const EVERY_MS = 1_000;

/** Never throws, and takes little time. */
export async function reconcileLanes(store: Store, { agent, env, now }: Caller): Promise<void> {
  // Processes with a worker's environment are ended with the worker, so none is started from here.
  if (env.LANEHOLD_ATTEMPT) return;
  try {
    if (!isDue(join(store.home.runs, 'lanes'), now())) return;
    const laneContext = { store, env, now };
    const { dueLanes, unattended } = await import('../../lanes/start/eligibility.ts');
    if (unattended(laneContext).length === 0 && dueLanes(laneContext).length === 0) return;
    const { launchReconcile } = await import('../../lanes/start/launch.ts');
    launchReconcile(laneContext);
  } catch (error) {
    const { logFailure } = await import('./failure-log.ts');
    logFailure(error, { agent, event: 'reconcile' }, env, now());
  }
}

function isDue(folder: string, now: Date): boolean {
  const stamp = join(folder, 'reconcile');
  const last = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const since = now.getTime() - last;
  if (since >= 0 && since < EVERY_MS) return false;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(stamp, '\n', { mode: 0o600 });
  return true;
}
