/** Pull requests of a run: opened through the gate, then watched until they are merged or closed. */
import { launchPulls } from '../../lanes/start/launch.ts';
import type { AppContext } from '../context.ts';
import { openRun } from './open-run.ts';
import type { RunWish } from './runs.ts';

export interface PullWish extends RunWish {
  /** A lane; without one all that is integrated. */
  readonly key?: string | undefined;
  readonly ready: boolean;
}

export async function openPullRequests(
  context: AppContext,
  { run: name, key: lane, ready }: PullWish,
) {
  const [{ laneContext, run }, { openPulls }] = await Promise.all([
    openRun(context, name),
    import('../../lanes/pull/open.ts'),
  ]);
  try {
    return await openPulls(laneContext, run, { lane, ready });
  } finally {
    // Also for those that were opened before one was held.
    launchPulls(laneContext, run.id);
  }
}

/** Whether `land` opens a pull request where nothing else is said. */
export async function landsByPull(context: AppContext, { run: name }: RunWish): Promise<boolean> {
  const { settings } = await openRun(context, name);
  return (await settings()).land === 'pr';
}
