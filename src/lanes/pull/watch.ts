/**
 * The watcher of a run: a process of its own that looks at the run's pull requests until all are merged or closed. Who
 * may write to the repository is quoted to the lane's worker; what others say, and what only a person can decide, is
 * asked.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ExplainedError } from '../../base/errors.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { type HeldLock, takeLock } from '../../base/process/held-lock.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { type PullRequest, pullRequestStore } from '../../store/pull-requests.ts';
import { runStore } from '../../store/runs.ts';
import { settingsFor } from '../settings/settings-for.ts';
import type { LaneContext } from '../spec/context.ts';
import { locksOf, pullLock } from '../spec/paths.ts';
import { reconcile } from '../start/reconcile.ts';
import { gitSettings } from '../tree/git-settings.ts';
import { forgeOf } from './address.ts';
import { ForgeError, RateLimitError } from './forge.ts';
import { lookedAt, pushVerified, type Watching } from './tend.ts';

/** How much longer the pauses become while nothing changes. */
const BACK_OFF = { factor: 1.5, most: 10 } as const;
/** How often the store is asked whether a lane has something to push; the forge is not. */
const LOCAL_MS = 2_000;

/** Kept in module scope: the lock would be released when its handle is garbage-collected. */
let lock: HeldLock | undefined;

export async function watchPulls(context: LaneContext, runId: string): Promise<void> {
  const { store } = context;
  makePrivateFolder(locksOf(store.home));
  lock = takeLock(pullLock(store.home, { id: runId }, 'watch'));
  if (lock === undefined) return;
  try {
    await watchLocked(context, runId);
  } finally {
    lock.release();
  }
}

async function watchLocked(context: LaneContext, runId: string): Promise<void> {
  const { store } = context;
  const first = runStore(store).byId(runId);
  if (first === undefined) return;
  const { pullEveryMs: every, pullRounds: rounds } = await settingsFor(context, first);
  let pause = every;
  for (;;) {
    const run = runStore(store).byId(runId);
    if (run === undefined || run.intent === 'cancelled') return;
    if (pullRequestStore(store).openOf(runId).length === 0) return;
    const { env } = await gitSettings(context, run);
    const watching = { context: { ...context, env }, run, rounds };
    const round = await lookAtAll(watching);
    if (round === 'logged-out') return;
    const wait = round instanceof Date ? round.getTime() - context.now().getTime() : undefined;
    pause = round === 'changed' ? every : Math.min(pause * BACK_OFF.factor, every * BACK_OFF.most);
    await pauseFor(watching, Math.max(wait ?? 0, pause));
  }
}

/** Returns early for what only concerns this machine: a lane that was verified again is pushed at once. */
async function pauseFor({ context, run }: Watching, pauseMs: number): Promise<void> {
  const newest = () => laneEventStore(context.store).newest(run.id);
  const until = performance.now() + pauseMs;
  let seen = newest();
  while (performance.now() < until) {
    await sleep(Math.min(LOCAL_MS, Math.max(50, until - performance.now())));
    if (newest() === seen) continue;
    seen = newest();
    const waiting = pullRequestStore(context.store).openOf(run.id);
    for (const pull of waiting) {
      if ((await orProblem(context, pull, () => pushVerified(context, run, pull))) === true) return;
    }
  }
}

/** @returns a time if the forge wants no requests before. */
async function lookAtAll(watching: Watching): Promise<'changed' | 'same' | 'logged-out' | Date> {
  const { context, run } = watching;
  let changed = false;
  for (const pull of pullRequestStore(context.store).openOf(run.id)) {
    const caller = { address: pull.forge, cwd: run.repository, env: context.env };
    const forge = await forgeOf(caller);
    const outcome = await orProblem(context, pull, () => lookedAt(watching, forge, pull));
    if (outcome instanceof RateLimitError) {
      return (await forge.limitedUntil().catch(() => undefined)) ?? 'same';
    }
    if (outcome instanceof ForgeError && /not logged in/.test(outcome.message)) return 'logged-out';
    if (outcome === true) changed = true;
  }
  // Workers that are to mend something are started, and dead supervisors replaced.
  await reconcile(context, run);
  return changed ? 'changed' : 'same';
}

/** What keeps the forge from answering is shown on the board; the next look may succeed. */
async function orProblem<T>(
  { store }: LaneContext,
  pull: PullRequest,
  work: () => Promise<T>,
): Promise<T | ExplainedError> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ExplainedError)) throw error;
    const [fact = ''] = error.message.split('\n');
    const problem = error.hint === undefined ? fact : `${fact}; ${error.hint}`;
    store.write(() => pullRequestStore(store).change(pull, { problem }));
    return error;
  }
}
