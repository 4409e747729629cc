/** Limits of spending: reserved before a worker starts, and settled from its use. */

import { dayOf } from '../../base/text/time.ts';
import { type AttemptKind, attemptStore } from '../../store/attempts.ts';
import {
  BUDGET_KINDS,
  type Budget,
  type LaneView,
  laneStore,
  type Run,
} from '../../store/lanes.ts';
import { ledgerStore, type Spent } from '../../store/ledger.ts';
import type { LaneContext } from '../spec/context.ts';
import { is } from '../spec/lane-states.ts';

export type Reserve = Extract<ReturnType<typeof affordable>, { kind: 'reserved' }>;

/**
 * The budget of an attempt: the least that the caps of lane, run and day leave. Refused if nothing is left, or if run
 * or day cannot cover the lane's own cap. If only the run or the day has a cap, the attempt gets a share, so that the
 * first one does not use up everything. `later` is when running attempts have returned what they did not use, or
 * tomorrow.
 */
export function affordable(context: LaneContext, run: Run, lane: LaneView, kind: AttemptKind) {
  const day = dayOf(context.now());
  if (kind === 'validate') return { kind: 'reserved' as const, day, amount: {} as Budget };
  const ledger = ledgerStore(context.store);
  const own = remaining({ ...run.policy.laneBudget, ...lane.spec.budget }, ledger.ofLane(lane.id));
  const usedUp = BUDGET_KINDS.find((it) => (own[it] ?? 1) <= 0);
  if (usedUp !== undefined) {
    return { kind: 'refused' as const, whose: 'lane', why: `the lane's ${usedUp} are used up` };
  }
  const caps = [
    ['run', run.policy.runBudget, ledger.ofRun(run.id), ledger.usedByRun(run.id)],
    ['day', run.policy.dayBudget, ledger.ofDay(day), ledger.usedOnDay(day)],
  ] as const;
  for (const [whose, cap, spent, used] of caps) {
    const why = shortfall(whose, remaining(cap, spent), own);
    if (why === undefined) continue;
    const forGood = shortfall(whose, remaining(cap, used), own);
    // The day's cap is renewed tomorrow.
    if (forGood === undefined || whose === 'day') return { kind: 'later' as const, whose, why };
    return { kind: 'refused' as const, whose, why: forGood };
  }
  const slots = startableLanes(context, run);
  const shares = caps.map(([, cap, spent]) => shareOf(remaining(cap, spent), own, slots));
  return { kind: 'reserved' as const, day, amount: [own, ...shares].reduce(least) };
}

function shortfall(whose: string, left: Budget, wish: Budget): string | undefined {
  const short = BUDGET_KINDS.find((it) => (left[it] ?? Infinity) < (wish[it] ?? Number.MIN_VALUE));
  if (short === undefined) return undefined;
  if ((left[short] ?? 0) <= 0) return `the ${whose}'s ${short} are used up`;
  return `the ${whose} has ${shown(left[short])} ${short} left, the lane may use ${shown(wish[short])}`;
}

const shown = (amount = 0): number => Math.round(amount * 100) / 100;

/** The number of the run's lanes that can start now, this one included. */
function startableLanes({ store }: LaneContext, run: Run): number {
  const lanes = laneStore(store).ofRun(run.id);
  const waiting = lanes.filter(({ intent, state }) => intent === 'run' && is('wanted', state));
  const live = attemptStore(store).liveOfRun(run.id).length;
  return Math.max(1, Math.min(run.policy.parallel - live, waiting.length));
}

function shareOf(left: Budget, wish: Budget, slots: number): Budget {
  return budgetOf((kind) => {
    const share = wish[kind] === undefined ? (left[kind] ?? Infinity) / slots : Infinity;
    return kind === 'usd' ? share : Math.max(1, Math.floor(share));
  });
}

/** For an agent without prices, a cap in dollars becomes one of this many turns. */
const TURNS_WITHOUT_PRICE = 200;

/** The caps as they can be enforced for an agent without prices. */
export function unpricedCaps(cap: Budget): Budget {
  if (cap.usd === undefined) return cap;
  return { ...cap, turns: Math.min(cap.turns ?? Infinity, TURNS_WITHOUT_PRICE) };
}

/** The part of a cap in dollars that counts as spent if prices are unknown. */
export function unpricedUsd(cap: Budget, turns: number): number {
  return (cap.usd ?? 0) * Math.min(1, turns / TURNS_WITHOUT_PRICE);
}

/** The first exceeded cap, in words; `undefined` while all hold. */
export function overBudget(cap: Budget, used: Spent): string | undefined {
  const kind = BUDGET_KINDS.find((it) => used[it] > (cap[it] ?? Infinity));
  return kind && `used ${shown(used[kind])} of ${shown(cap[kind])} ${kind}`;
}

const remaining = (cap: Budget, spent: Spent): Budget =>
  budgetOf((kind) => (cap[kind] ?? Infinity) - spent[kind]);

const least = (a: Budget, b: Budget): Budget =>
  budgetOf((kind) => Math.min(a[kind] ?? Infinity, b[kind] ?? Infinity));

/** @param amount the cap of a kind; infinite for none. */
function budgetOf(amount: (kind: keyof Budget) => number): Budget {
  const entries = BUDGET_KINDS.map((kind) => [kind, amount(kind)] as const);
  return Object.fromEntries(entries.filter(([, it]) => it !== Infinity));
}
