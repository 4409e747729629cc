/** Whether the account of a worker has quota left: a circuit breaker for each account. */
import { isOtherLogin } from '../../agents/worker/environment.ts';
import { enumerated } from '../../base/text/count.ts';
import { attemptStore } from '../../store/attempts.ts';
import { accountAnswerStore, type Breaker, breakerStore } from '../../store/breakers.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { LaneSettings } from '../settings/settings.ts';
import { type LaneContext, wasSetBack } from '../spec/context.ts';

/** The worker of a lane. Resolved before the transaction, since it takes reading files and PATH. */
export interface ResolvedWorker {
  readonly agent: string;
  readonly model: string | undefined;
  readonly account: string;
  /** False for a program that is not known to have usage limits. */
  readonly isMetered: boolean;
  readonly settings: LaneSettings;
}

/**
 * Why no worker of the account may start now. An open breaker lets none start before the reset of the limit;
 * then it is half-open, and one lane tries. A few try an account of which nothing is known.
 */
export function accountHindrance(
  context: LaneContext,
  lane: LaneView,
  { agent, account, isMetered }: ResolvedWorker,
): string | undefined {
  // What was asked for is a login of the lane's own agent.
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

/** A time that was set before the clock was set back does not count. */
const isOpen = ({ resumeAt, openedAt }: Breaker, now: Date): boolean =>
  resumeAt > now && !wasSetBack(openedAt, now);

/**
 * Only so many workers start at first with an account of which nothing is known, so that a usage
 * limit is met by them and not by all lanes at once.
 */
const FIRST = 2;
/** How long an answer counts as proof that the account is within its limits. */
const KNOWN_MS = 10 * 60_000;
/** An attempt that shows no activity for this long is not waited for. */
const SILENT_MS = 5 * 60_000;

/** Whether a worker of the account was answered lately. Times of another clock do not count. */
export function isKnownToAnswer({ store, now }: LaneContext, account: string): boolean {
  const last = accountAnswerStore(store).last(account);
  return last !== undefined && isNear(last, now(), KNOWN_MS);
}

/** The lanes that the account's next worker has to wait for, in words; `undefined` if none. */
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

/** A time may also lie in the future: the clock may have been set meanwhile. */
function isNear(at: Date, now: Date, ms: number): boolean {
  return Math.abs(now.getTime() - at.getTime()) < ms;
}
