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
import { lookedAt, toPush, type Watching } from './tend.ts';

/** How much longer the pauses become while nothing changes. */
const BACK_OFF = { factor: 1.5, most: 10 } as const;
/** How often the store is asked whether a lane has something to push; the forge is not. */
const LOCAL_MS = 2_000;

export async function watchPulls(context: LaneContext, runId: string): Promise<void> {
  const { home } = context.store;
  makePrivateFolder(locksOf(home));
  await whileFree(pullLock(home, runId), () => watchLocked(context, runId));
}

async function watchLocked(context: LaneContext, runId: string): Promise<void> {
  const { store, now } = context;
  let factor = 1;
  for (;;) {
    const run = runStore(store).byId(runId);
    if (run === undefined || run.intent === 'cancelled') return;
    if (pullRequestStore(store).openOf(runId).length === 0) return;
    const { pullEveryMs, pullRounds: rounds } = await settingsFor(context, run);
    const { env } = await gitSettings(context, run);
    const watching = { context: { ...context, env }, run, rounds };
    const { changed, notBefore } = await lookAtAll(watching);
    // Workers that are to mend something are started, and dead supervisors replaced.
    await reconcile(watching.context, run);
    factor = changed ? 1 : Math.min(factor * BACK_OFF.factor, BACK_OFF.most);
    const untilThenMs = notBefore.getTime() - now().getTime();
    await pauseFor(watching, Math.max(pullEveryMs * factor, untilThenMs));
  }
}

/** Ends early for what only concerns this machine: a lane that was verified again is pushed at once. */
async function pauseFor({ context, run }: Watching, pauseMs: number): Promise<void> {
  const waiting = () =>
    pullRequestStore(context.store)
      .openOf(run.id)
      .map((pull) => toPush(context, pull)?.headSha)
      .join();
  const before = waiting();
  const until = performance.now() + pauseMs;
  while (performance.now() < until && waiting() === before) {
    await sleep(Math.min(LOCAL_MS, Math.max(50, until - performance.now())));
  }
}

/** What keeps the forge from answering is shown on the board; the next look may succeed. */
async function lookAtAll(watching: Watching) {
  const { context, run } = watching;
  const { store, env, now } = context;
  const pulls = pullRequestStore(store);
  let changed = false;
  for (const pull of pulls.openOf(run.id)) {
    const forge = await forgeOf({ address: pull.forge, cwd: run.repository, env });
    try {
      if (await lookedAt(watching, forge, pull)) changed = true;
    } catch (error) {
      const { message, hint } = explained(error);
      const [fact = ''] = message.split('\n');
      const problem = hint === undefined ? fact : `${fact}; ${hint}`;
      store.write(() => pulls.change(pull, { problem }));
      if (!(error instanceof RateLimitError)) continue;
      const notBefore = await forge.limitedUntil().catch(() => undefined);
      return { changed: false, notBefore: notBefore ?? now() };
    }
  }
  return { changed, notBefore: now() };
}
