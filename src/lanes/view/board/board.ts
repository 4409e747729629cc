/** The board of a run: everything that a reader is shown, read from the store and the disk. */
import { type Breaker, breakerStore } from '../../../store/breakers.ts';
import { integrationStore } from '../../../store/integrations.ts';
import { laneEventStore } from '../../../store/lane-events.ts';
import { type LaneState, laneStore } from '../../../store/lanes.ts';
import { ledgerStore, type Spent } from '../../../store/ledger.ts';
import { type Budget, type Run, runStore } from '../../../store/runs.ts';
import { type OpenConflict, openConflicts } from '../../merge-queue/open-conflicts.ts';
import type { LaneContext } from '../../model/context.ts';
import { dayOf } from '../../scheduler/budget.ts';
import { type LaneCard, laneCards, type QuestionCard } from './lane-cards.ts';

export interface Board {
  readonly at: Date;
  /** The number of the last event included. */
  readonly cursor: number;
  readonly run: Run;
  /** ` --run <name>` where commands need it, else empty. */
  readonly runOption: string;
  readonly integrationTip: string | null;
  readonly lanes: readonly LaneCard[];
  /** Oldest first. */
  readonly questions: readonly QuestionCard[];
  readonly conflicts: readonly OpenConflict[];
  readonly budget: {
    /** Where an open reservation counts in full. */
    readonly spent: Spent;
    /** What the workers of the run have used so far. */
    readonly used: Spent;
    readonly cap: Budget;
    readonly spentToday: Spent;
    readonly dayCap: Budget;
  };
  /** Accounts that wait for their limit to reset. */
  readonly breakers: readonly Breaker[];
}

/** @param hindered why due lanes could not start at the last reconcile, by key; empty if no reconcile was run. */
export function readBoard(
  context: LaneContext,
  run: Run,
  hindered: Readonly<Record<string, string>> = {},
): Board {
  const { store } = context;
  const now = context.now();
  const lanes = laneStore(store)
    .ofRun(run.id)
    .map(laneCards(store, now, hindered));
  const ledger = ledgerStore(store);
  return {
    at: now,
    cursor: laneEventStore(store).newest(run.id),
    run,
    runOption: runOption(context, run),
    integrationTip: integratedTip(context, run),
    lanes,
    questions: lanes
      .flatMap(({ questions }) => questions)
      .sort((a, b) => a.at.getTime() - b.at.getTime()),
    conflicts: openConflicts(context, run.id),
    budget: {
      spent: ledger.ofRun(run.id),
      used: ledger.usedByRun(run.id),
      cap: run.policy.runBudget,
      spentToday: ledger.ofDay(dayOf(now)),
      dayCap: run.policy.dayBudget,
    },
    breakers: breakerStore(store).all(),
  };
}

/** How many lanes are in each state; states without lanes are left out. */
export function countStates(board: Board): ReadonlyMap<LaneState, number> {
  const counts = new Map<LaneState, number>();
  for (const { state } of board.lanes) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}

/** The last commit that the integration is known to have reached. */
function integratedTip({ store }: LaneContext, run: Run): string | null {
  const done = integrationStore(store)
    .ofRun(run.id)
    .findLast(({ state, resultSha }) => DONE.has(state) && resultSha !== null);
  return done?.resultSha ?? null;
}

const DONE: ReadonlySet<string> = new Set(['integrated', 'landed']);

function runOption({ store }: LaneContext, run: Run): string {
  const open = runStore(store).open(run.projectId);
  return open.length === 1 && open[0]?.id === run.id ? '' : ` --run ${run.name}`;
}
