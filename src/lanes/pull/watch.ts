/**
 * The watcher of a run: a process of its own that looks at the run's pull requests until all are merged or closed. Who
 * may write to the repository is quoted to the lane's worker; what others say, and what only a person can decide, is
 * asked.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { explained } from '../../base/errors.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { whileFree } from '../../base/process/with-lock.ts';
import { pullRequestStore } from '../../store/pull-requests.ts';
import { runStore } from '../../store/runs.ts';
import { settingsFor } from '../settings/settings-for.ts';
import type { LaneContext } from '../spec/context.ts';
import { locksOf, pullLock } from '../spec/paths.ts';
import { reconcile } from '../start/reconcile.ts';
import { gitSettings } from '../tree/git-settings.ts';
import { forgeOf } from './address.ts';
import { RateLimitError } from './forge.ts';
import { lookedAt, type Watching } from './tend.ts';

/** How much longer the pauses become while nothing changes. */
const BACK_OFF = { factor: 1.5, most: 10 } as const;

export async function watchPulls(context: LaneContext, runId: string): Promise<void> {
  const { home } = context.store;
  makePrivateFolder(locksOf(home));
  await whileFree(pullLock(home, runId), () => watchLocked(context, runId));
}

async function watchLocked(context: LaneContext, runId: string): Promise<void> {
  const { store } = context;
  let factor = 1;
  for (;;) {
    const run = runStore(store).byId(runId);
    if (run === undefined || run.intent === 'cancelled') return;
    if (pullRequestStore(store).openOf(runId).length === 0) return;
    const { pullEveryMs, pullRounds: rounds } = await settingsFor(context, run);
    const { env } = await gitSettings(context, run);
    const watching = { context: { ...context, env }, run, rounds };
    const found = await lookAtAll(watching);
    // Workers that are to mend something are started, and dead supervisors replaced.
    await reconcile(watching.context, run);
    const slower = found === 'limited' ? BACK_OFF.most : factor * BACK_OFF.factor;
    factor = found === 'moving' ? 1 : Math.min(slower, BACK_OFF.most);
    await sleep(pullEveryMs * factor);
  }
}

/** What keeps the forge from answering is shown on the board; the next look may succeed. */
async function lookAtAll(watching: Watching): Promise<'moving' | 'still' | 'limited'> {
  const { context, run } = watching;
  const { store, env } = context;
  const pulls = pullRequestStore(store);
  let isMoving = false;
  for (const pull of pulls.openOf(run.id)) {
    const forge = await forgeOf({ address: pull.forge, cwd: run.repository, env });
    try {
      if (await lookedAt(watching, forge, pull)) isMoving = true;
    } catch (error) {
      const { message, hint } = explained(error);
      const [fact = ''] = message.split('\n');
      const problem = hint === undefined ? fact : `${fact}; ${hint}`;
      store.write(() => pulls.change(pull, { problem }));
      if (error instanceof RateLimitError) return 'limited';
    }
  }
  return isMoving ? 'moving' : 'still';
}
