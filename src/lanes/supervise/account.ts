/** Watches whether a worker's account answers. Other lanes wait for the result. */
import type { WorkerProgress } from '../../agents/worker/worker.ts';
import { accountAnswerStore } from '../../store/account-answers.ts';
import { breakerStore } from '../../store/breakers.ts';
import { launchTick } from '../launch.ts';
import type { Supervision } from './supervision.ts';

/** A limit is reported at once; some workers report nothing else before they end. */
const REFUSED_WITHIN_MS = 10_000;
const NOTED_EVERY_MS = 60_000;

export interface AccountWatch {
  look(progress: WorkerProgress): void;
}

export function watchAccount(it: Supervision): AccountWatch {
  const startedAt = performance.now();
  let notedAt = Number.NEGATIVE_INFINITY;
  let isWaitedFor = true;
  // After a takeover it is unknown when the answers so far were given.
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

/** Lanes that wait for this start now, not when this worker has ended. */
export function accountAnswers(it: Supervision): void {
  const { store, now } = it.context;
  const { account } = it.attempt();
  if (account === null) return;
  store.write(() => accountAnswerStore(store).note(account, now()));
  closeBreaker(it);
  endTrial(it);
}

/** Ends the trial: other lanes no longer wait for this worker. */
export function endTrial(it: Supervision): void {
  if (!it.attempt().onTrial) return;
  it.note({ onTrial: false });
  launchTick(it.context);
}

/** The account has quota after all: its lanes may start again. */
export function closeBreaker(it: Supervision): void {
  const { store } = it.context;
  const { account } = it.attempt();
  const breaker = account === null ? undefined : breakerStore(store).get(account);
  if (breaker === undefined || breaker.probeAttempt !== it.attemptId) return;
  store.write(() => breakerStore(store).close(breaker.account));
  it.event('breaker.closed', { account: breaker.account });
  launchTick(it.context);
}

/** @param resumeAt when to try again. */
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
