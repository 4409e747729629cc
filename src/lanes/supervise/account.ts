/** What a worker shows of its account: whether it answers. Others wait to see, and start by it. */

import type { WorkerProgress } from '../../agents/worker/worker.ts';
import { accountAnswerStore } from '../../store/account-answers.ts';
import { breakerStore } from '../../store/breakers.ts';
import { launchTick } from '../launch.ts';
import type { Supervision } from './supervision.ts';

/** A limit is told at once; some workers tell nothing else before their end. */
const REFUSED_WITHIN_MS = 10_000;
const NOTED_EVERY_MS = 60_000;

export interface AccountWatch {
  look(progress: WorkerProgress): void;
}

export function watchAccount(it: Supervision): AccountWatch {
  const startedAt = performance.now();
  let notedAt = Number.NEGATIVE_INFINITY;
  let isWaitedFor = true;
  // Of a worker that was taken over nobody knows when it said what it has said until now.
  let heard = it.epoch === 1 ? 0 : undefined;
  return {
    look({ answers }) {
      heard ??= answers;
      const now = performance.now();
      if (answers > heard && now - notedAt > NOTED_EVERY_MS) {
        heard = answers;
        notedAt = now;
        accountAnswers(it);
      }
      if (!isWaitedFor || now - startedAt < REFUSED_WITHIN_MS) return;
      isWaitedFor = false;
      endTrial(it);
    },
  };
}

/** Whoever waited for that starts now, not when this worker has ended. */
export function accountAnswers(it: Supervision): void {
  const { store, now } = it.context;
  const { account } = it.attempt();
  if (account === null) return;
  store.write(() => accountAnswerStore(store).note(account, now()));
  closeBreaker(it);
  endTrial(it);
}

/** Nobody waits any longer to see how this worker fares. */
export function endTrial(it: Supervision): void {
  if (!it.attempt().onTrial) return;
  it.note({ on_trial: 0 });
  launchTick(it.context);
}

/** The account is not out of quota after all: everybody may start again. */
export function closeBreaker(it: Supervision): void {
  const { store } = it.context;
  const { account } = it.attempt();
  const breaker = account === null ? undefined : breakerStore(store).get(account);
  if (breaker === undefined || breaker.probeAttempt !== it.attemptId) return;
  store.write(() => breakerStore(store).close(breaker.account));
  it.event('breaker.closed', { account: breaker.account });
  launchTick(it.context);
}

/** @param resumeAt when somebody may ask again. */
export function openBreaker(
  it: Supervision,
  { resumeAt, evidence }: { readonly resumeAt: Date; readonly evidence: string },
): void {
  const { store, now } = it.context;
  const account = it.attempt().account ?? 'unknown';
  store.write(() => {
    breakerStore(store).open(account, resumeAt, evidence, now());
    accountAnswerStore(store).forget(account);
  });
  it.event('breaker.opened', { account, resumeAt: resumeAt.toISOString() });
}
