/**
 * Only a few workers start at first with an account of which nothing is known, so that a usage limit
 * is met by them and not by all lanes at once.
 */

import { type Attempt, attemptStore } from '../store/attempts.ts';
import { accountAnswerStore } from '../store/breakers.ts';
import { laneStore } from '../store/lanes.ts';
import { enumerated } from '../text/count.ts';
import type { LaneContext } from './context.ts';

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
export function waitsForAnswer(context: LaneContext, account: string): string | undefined {
  if (isKnownToAnswer(context, account)) return undefined;
  const trying = attemptStore(context.store)
    .onTrial(account)
    .filter(({ progressAt, startedAt }) =>
      isNear(progressAt ?? startedAt, context.now(), SILENT_MS),
    );
  if (trying.length < FIRST) return undefined;
  const keys = trying.map((it) => keyOf(context, it)).sort();
  return `it waits for ${enumerated(keys, FIRST)} to see whether ${account} answers`;
}

function keyOf({ store }: LaneContext, { laneId }: Attempt): string {
  return laneStore(store).byId(laneId)?.key ?? laneId;
}

/** In both directions: the clock may have been set meanwhile. */
function isNear(at: Date, now: Date, ms: number): boolean {
  return Math.abs(now.getTime() - at.getTime()) < ms;
}
