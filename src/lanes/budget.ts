/** Caps on what lanes may spend: reserved before a worker starts, settled from what it used. */
import type { AttemptKind } from '../store/attempts.ts';
import type { LaneView } from '../store/lanes.ts';
import { ledgerStore, type Spent } from '../store/ledger.ts';
import type { Budget, Run } from '../store/runs.ts';
import type { LaneWorld } from './world.ts';

const KINDS = ['turns', 'seconds', 'tokens', 'usd'] as const;
type Kind = (typeof KINDS)[number];

export interface Reserve {
  readonly kind: 'reserved';
  readonly day: string;
  readonly amount: Budget;
}

const NOTHING: Budget = {};

/**
 * What an attempt may spend: the least that the caps of lane, run and day leave. It is refused where
 * nothing is left, or where the run cannot cover what the lane is allowed.
 */
export function affordable(
  world: LaneWorld,
  run: Run,
  lane: LaneView,
  kind: AttemptKind,
): Reserve | { readonly kind: 'refused'; readonly why: string } {
  const day = dayOf(world.now());
  if (kind === 'validate') return { kind: 'reserved', day, amount: NOTHING };
  const ledger = ledgerStore(world.store);
  const own = caps(run.policy.laneBudget, lane.spec.budget);
  const left = [
    ['lane', remaining(own, ledger.ofLane(lane.id))],
    ['run', remaining(run.policy.runBudget, ledger.ofRun(run.id))],
    ['day', remaining(run.policy.dayBudget, ledger.ofDay(day))],
  ] as const;
  for (const [whose, budget] of left) {
    const used = KINDS.find((it) => (budget[it] ?? 1) <= 0);
    if (used !== undefined) return { kind: 'refused', why: `the ${whose}'s ${used} are used up` };
  }
  for (const [whose, budget] of left.slice(1)) {
    const short = KINDS.find((it) => own[it] !== undefined && (budget[it] ?? Infinity) < own[it]);
    if (short !== undefined) {
      const rest = budget[short];
      return {
        kind: 'refused',
        why: `the ${whose} has ${rest} ${short} left, the lane may use ${own[short]}`,
      };
    }
  }
  return { kind: 'reserved', day, amount: left.map(([, budget]) => budget).reduce(least) };
}

/** The first cap that was passed, in words; `undefined` while all hold. */
export function overBudget(cap: Budget, used: Spent): string | undefined {
  const kind = KINDS.find((it) => cap[it] !== undefined && used[it] > cap[it]);
  return kind === undefined ? undefined : `used ${used[kind]} of ${cap[kind]} ${kind}`;
}

/** Local, as a person counts days. */
export function dayOf(now: Date): string {
  const two = (n: number) => String(n).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

function caps(policy: Budget, own: Budget): Budget {
  return { ...policy, ...own };
}

function remaining(cap: Budget, spent: Spent): Budget {
  const entries = KINDS.flatMap((kind) => {
    const limit = cap[kind];
    return limit === undefined ? [] : [[kind, limit - spent[kind]] as const];
  });
  return Object.fromEntries(entries);
}

function least(a: Budget, b: Budget): Budget {
  const pick = (kind: Kind) => Math.min(a[kind] ?? Infinity, b[kind] ?? Infinity);
  const entries = KINDS.map((kind) => [kind, pick(kind)] as const);
  return Object.fromEntries(entries.filter(([, value]) => Number.isFinite(value)));
}
