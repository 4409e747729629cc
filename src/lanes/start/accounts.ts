/** Whether the account of a worker has quota left: a circuit breaker for each account. */
import { isOtherLogin } from '../../agents/worker/environment.ts';
import { enumerated } from '../../base/text/printable.ts';
import { attemptStore } from '../../store/attempts.ts';
import { accountAnswerStore, type Breaker, breakerStore } from '../../store/breakers.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { LaneSettings } from '../settings/settings.ts';
import { type LaneContext, wasSetBack } from '../spec/context.ts';

/** The worker of a lane. It is resolved before the transaction, because that reads files and PATH. */
export interface ResolvedWorker {
  readonly agent: string;
  readonly model: string | undefined;
  readonly account: string;
  /** False for a program that is not known to have usage limits. */
  readonly isMetered: boolean;
  readonly settings: LaneSettings;
}

/**
 * Why no worker of the account may start now. An open breaker lets none start before the limit ends; then it is
 * half-open, and one lane tries. An unknown account is tried by a few.
 */
export function accountHindrance(
  context: LaneContext,
  lane: LaneView,
  { agent, account, isMetered }: ResolvedWorker,
): string | undefined {
  // The request was for a login of the lane's own agent.
  const asked = agent === lane.spec.agent ? laneStore(context.store).account(lane.id) : null;
  if (asked !== null && isOtherLogin(asked, account)) {
    return `it is to use the login ${asked}, and here it would be ${account}; \`spawn ${lane.key}\` lets it use that`;
  }
  const breaker = breakerStore(context.store).get(account);
  if (breaker === undefined) return isMetered ? waitsForAnswer(context, account) : undefined;
  if (isOpen(breaker, context.now())) {
    return `${account} is out of quota until ${breaker.resumeAt.toISOString()}`;
  }
  const probe = attemptStore(context.store).lastOf({ attemptId: breaker.probeAttempt });
  if (probe?.endedAt !== null) return undefined;
  return `another lane tries whether ${account} has quota again`;
}

export function isUsedUp({ store, now }: LaneContext, account: string | null): boolean {
  const breaker = account === null ? undefined : breakerStore(store).get(account);
  return breaker !== undefined && isOpen(breaker, now());
}

/** A time does not count if the clock was set back since. */
const isOpen = ({ resumeAt, openedAt }: Breaker, now: Date): boolean =>
  resumeAt > now && !wasSetBack(openedAt, now);

/** The number of workers that start first with an unknown account, so that not all lanes meet a limit at once. */
const FIRST = 2;
/** The time for which an answer proves that the account is within its limits. */
const KNOWN_MS = 10 * 60_000;
/** An attempt without activity for this long is not waited for. */
const SILENT_MS = 5 * 60_000;

/** Whether a worker of the account was answered lately. Times of another clock do not count. */
export function isKnownToAnswer({ store, now }: LaneContext, account: string): boolean {
  const last = accountAnswerStore(store).last(account);
  return last !== undefined && isNear(last, now(), KNOWN_MS);
}

/** The lanes for which the account's next worker has to wait, in words; `undefined` if none. */
function waitsForAnswer(context: LaneContext, account: string): string | undefined {
  if (isKnownToAnswer(context, account)) return undefined;
  const { store, now } = context;
  const trying = attemptStore(store)
    .onTrial(account)
    .filter(({ progressAt, startedAt }) => isNear(progressAt ?? startedAt, now(), SILENT_MS));
  if (trying.length < FIRST) return undefined;
  const keys = trying.map(({ laneId }) => laneStore(store).byId(laneId)?.key ?? laneId).sort();
  return `it waits for ${enumerated(keys, FIRST)} to see whether ${account} answers`;
}

/** Whether a time is near; it may lie in the future, if the clock was set meanwhile. */
function isNear(at: Date, now: Date, ms: number): boolean {
  return Math.abs(now.getTime() - at.getTime()) < ms;
}
