/** The one place where hooks keep lanes going: called where the project has an open run. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '../store/open.ts';
import type { Caller } from './handler.ts';

/** Many agents at work raise many hooks; one look in a while is enough for all of them. */
const EVERY_MS = 1_000;

/** Never fails, and never keeps the agent waiting for long. */
export async function tickLanes(store: Store, { agent, env, now }: Caller): Promise<void> {
  // A worker's environment marks its processes: what is started from here would end with it.
  if (env.LANEHOLD_ATTEMPT) return;
  try {
    if (!isDue(join(store.home.runs, 'lanes'), now())) return;
    const laneContext = { store, env, now };
    const { dueLanes, unattended } = await import('../lanes/due.ts');
    if (unattended(laneContext).length === 0 && dueLanes(laneContext).length === 0) return;
    const { launchTick } = await import('../lanes/launch.ts');
    launchTick(laneContext);
  } catch (error) {
    const { logFailure } = await import('./failure-log.ts');
    logFailure(error, { agent, event: 'tick' }, env, now());
  }
}

function isDue(folder: string, now: Date): boolean {
  const stamp = join(folder, 'tick');
  const last = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const since = now.getTime() - last;
  if (since >= 0 && since < EVERY_MS) return false;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(stamp, '\n', { mode: 0o600 });
  return true;
}
