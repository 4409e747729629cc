/** Notices about a run for a person who does not watch it: somebody is needed, a cap is reached, or it is done. */
import { plural } from '../../base/text/count.ts';
import { printableLine } from '../../base/text/printable.ts';
import { dayOf } from '../../base/text/time.ts';
import { attemptStore } from '../../store/attempts.ts';
import { breakerStore } from '../../store/breakers.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import { ledgerStore } from '../../store/ledger.ts';
import type { Store } from '../../store/open.ts';
import { BUDGET_KINDS, type Run } from '../../store/runs.ts';
import type { LaneContext } from '../spec/context.ts';
import { isToBeLookedAt } from '../spec/flags.ts';
import { is } from '../spec/lane-states.ts';
import { needsOf } from './coordinator-needs.ts';

export interface Notice {
  readonly kind: 'needed' | 'cap' | 'done';
  /** Stays equal until something new happens. */
  readonly subject: string;
  readonly text: string;
}

/** Changes nothing, and starts nothing. */
export function noticesOf({ store, now }: LaneContext, run: Run): readonly Notice[] {
  const lanes = laneStore(store).ofRun(run.id);
  const notices = [
    ...needsOf(store, run, ` --run ${run.name}`).map((it) => ({ kind: 'needed' as const, ...it })),
    ...lanes.flatMap((lane) => stoppedByCap(store, lane)),
    ...dayUsedUp(store, run, now()),
    ...done(store, run, lanes),
  ];
  return notices.map((it) => ({ ...it, text: `run ${run.name}: ${it.text}` }));
}

function stoppedByCap(store: Store, lane: LaneView): Notice[] {
  const cap = (subject: string, text: string): Notice[] => [{ kind: 'cap', subject, text }];
  if (lane.state === 'blocked') {
    const refusal = laneEventStore(store)
      .ofType(lane.runId, 'budget')
      .findLast(({ laneId, data }) => laneId === lane.id && data.why === lane.blocked);
    // A person who has blocked a lane knows it.
    if (refusal === undefined) return [];
    // All lanes that the run's cap stops get one notice.
    const whose = refusal.data.whose === 'run' ? lane.runId : lane.id;
    const why = printableLine(lane.blocked ?? '', 200);
    return cap(`blocked ${whose} ${lane.blocked}`, `lane ${lane.key} does not start: ${why}`);
  }
  const last = lane.state === 'parked' ? attemptStore(store).lastOf(lane) : undefined;
  if (last === undefined) return [];
  const { endCause, endDetail, account, id } = last;
  const why = printableLine(endDetail ?? '', 200);
  if (endCause === 'budget') return cap(`parked ${id}`, `lane ${lane.key} stopped: ${why}`);
  const breaker = endCause === 'quota' && account ? breakerStore(store).get(account) : undefined;
  if (breaker === undefined) return [];
  // All lanes that wait for the account get one notice.
  const subject = `account ${account} ${breaker.openedAt.getTime()}`;
  return cap(subject, `the account ${account} is used up: ${why}`);
}

/** Notices of a used-up day, after which lanes wait until tomorrow. */
function dayUsedUp(store: Store, { policy: { dayBudget } }: Run, now: Date): Notice[] {
  const day = dayOf(now);
  const used = ledgerStore(store).usedOnDay(day);
  return BUDGET_KINDS.filter((kind) => used[kind] >= (dayBudget[kind] ?? Infinity)).map((kind) => ({
    kind: 'cap',
    subject: `day ${day} ${kind} ${dayBudget[kind]}`,
    text: `the day's ${kind} are used up: ${dayBudget[kind]}`,
  }));
}

/** The notice that everything is verified, or integrated. */
function done(store: Store, run: Run, all: readonly LaneView[]): Notice[] {
  const lanes = all.filter(({ state }) => state !== 'cancelled');
  const verified = lanes.filter(({ state }) => state === 'verified');
  const isDone = lanes.every(({ state }) => state === 'verified' || is('inside', state));
  if (lanes.length === 0 || !isDone || verified.some((lane) => isToBeLookedAt(store, lane)))
    return [];
  const heads = lanes.map(({ id, headSha }) => `${id} ${headSha}`).join(' ');
  const [next, how] = verified.length > 0 ? ['integrate', 'verified'] : ['land', 'integrated'];
  const what = `${plural(lanes.length, 'lane')} ${how}, none is left to work on`;
  const text = `${what} (\`lanehold orchestrate ${next} --run ${run.name}\`)`;
  return [{ kind: 'done', subject: `done ${heads}`, text }];
}
