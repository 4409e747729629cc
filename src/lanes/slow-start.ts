/**
 * Of an account of which nothing is known, a few workers start first: a usage limit is then met by
 * them, and not by every lane that could start in the same moment.
 */
import { accountAnswerStore } from '../store/account-answers.ts';
import { type Attempt, attemptStore } from '../store/attempts.ts';
import { laneStore } from '../store/lanes.ts';
import { enumerated } from '../text/count.ts';
import type { LaneContext } from './context.ts';

const FIRST = 2;
/** Who has answered lately has not run into its limit since. */
const KNOWN_MS = 10 * 60_000;
/** Nobody waits longer for one whose supervisor gives no sign of life. */
const SILENT_MS = 5 * 60_000;

/** Whether a worker has shown it in the last while; what was noted by another clock counts for nothing. */
export function isKnownToAnswer({ store, now }: LaneContext, account: string): boolean {
  const last = accountAnswerStore(store).last(account);
  return last !== undefined && isNear(last, now(), KNOWN_MS);
}

/** Whom the next worker of an account has to wait for, in words; `undefined`: for nobody. */
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

/** In both directions: the clock may have been set since. */
function isNear(at: Date, now: Date, ms: number): boolean {
  return Math.abs(now.getTime() - at.getTime()) < ms;
}
