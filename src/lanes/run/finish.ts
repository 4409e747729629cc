/** Stops a worker from outside, and ends an attempt. */
import { attempt as tried } from '../../base/errors.ts';
import { onChange } from '../../base/files/on-change.ts';
import {
  type AttemptNote,
  attemptStore,
  type EndCause,
  type EndReason,
} from '../../store/attempts.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { type Lane, laneStore } from '../../store/lanes.ts';
import { ledgerStore } from '../../store/ledger.ts';
import { isToBeLookedAt } from '../spec/flags.ts';
import { hasLease, leaseWatch } from '../spec/lease.ts';
import { laneDir } from '../spec/paths.ts';
import { pickTry } from '../spec/tries.ts';
import { redactOutput } from './stream.ts';
import { FencedError, type Supervision } from './supervision.ts';

export interface Ending {
  readonly reason: EndReason;
  readonly cause?: EndCause;
  readonly detail: string;
  /** The time at which a reconcile may resume a parked attempt. */
  readonly resumeAt?: Date;
  /** The lane starts again automatically, as often as the run's policy allows. */
  readonly again?: 'yes';
}

const MAX_DETAIL = 4_000;

export const CANCELLED: Ending = { reason: 'cancelled', detail: '' };

export function finish(it: Supervision, { reason, cause, detail, resumeAt, again }: Ending): void {
  const { store, now } = it.context;
  const { kind, state, dir } = it.attempt();
  // A full disk must not stop the end of the attempt.
  tried(() => redactOutput(dir));
  const lane = it.lane();
  const settle = () => ledgerStore(store).settle(it.attemptId);
  if (reason === 'cancelled' && state !== 'exited' && state !== 'lost') {
    it.move('cancelled', { endReason: reason, endDetail: null, endedAt: now() }, settle);
    return;
  }
  const note: AttemptNote = {
    endReason: reason,
    endCause: cause ?? null,
    endDetail: detail.slice(0, MAX_DETAIL),
    resumeAt: resumeAt ?? null,
    endedAt: now(),
  };
  it.move('ended', note, () => {
    settle();
    if (lane.intent === 'cancelled') return;
    const asked = kind !== 'validate' || isFirstOfBranch(it, lane);
    const goesOn =
      reason === 'parked' ||
      (again === 'yes' && kind !== 'validate' && startsLeft(it, lane.id, lane.wantsAfter) > 0);
    // Only requested work continues automatically.
    if (asked) laneStore(store).setIntent(lane.id, goesOn ? 'run' : 'hold');
    if (reason === 'verified') pickFirst(it, lane);
    // An answer that came while the worker was ending, or later, requests another attempt.
    if (reason !== 'parked' && isAnswerPending(it, lane, reason)) laneStore(store).want(lane.id);
  });
}

/** Whether `spawn` requests a validation first, for a lane that began with the work of a branch. */
function isFirstOfBranch(it: Supervision, { id, spec, wantsAfter }: Lane): boolean {
  if (spec.branch === undefined || it.attempt().n <= wantsAfter) return false;
  const attempts = attemptStore(it.context.store).ofLane(id);
  return attempts.every(({ kind }) => kind === 'validate');
}

/** Picks the first verified try, unless a person has to look at it first. */
function pickFirst({ context }: Supervision, { id, spec }: Lane): void {
  if (spec.tries?.picks !== 'first') return;
  const lane = laneStore(context.store).byId(id);
  if (lane && !isToBeLookedAt(context.store, lane)) pickTry(context, lane, 'lanehold');
}

/** Finished work continues only for the answer to a question that held it back. */
function isAnswerPending(it: Supervision, { id, wantsAfter }: Lane, reason: EndReason): boolean {
  const undelivered = laneReportStore(it.context.store).undelivered(id);
  const pending = undelivered.filter(({ kind }) => kind === 'ask');
  if (reason !== 'verified' && it.attempt().kind !== 'validate') return pending.length > 0;
  const attempts = attemptStore(it.context.store);
  return pending.some(({ attemptId }) => (attempts.byId(attemptId ?? '')?.n ?? 0) > wantsAfter);
}

/** The number of automatic starts that are left since the last request. */
function startsLeft(it: Supervision, laneId: string, after: number): number {
  const tried = attemptStore(it.context.store)
    .ofLane(laneId)
    .filter(({ n, kind, endReason }) => n > after && kind !== 'validate' && endReason !== 'parked');
  return it.run().policy.attempts - tried.length;
}

export type Stop =
  | { readonly kind: 'cancelled' }
  | {
      readonly kind: 'paused' | 'lease' | 'budget' | 'disk' | 'stalled' | 'timeout' | 'lost';
      readonly why: string;
    };

/** The database's log changes first, whatever another process stores. */
const RHYTHM = { leastMs: 250, mostMs: 10_000 };
/** The end of a lease changes nothing in the database. */
const LEASED = { ...RHYTHM, mostMs: 1_000 };

export function stopWorker(it: Supervision, stop: Stop): void {
  if (!it.stopped.signal.aborted) it.stopped.abort(stop);
}

export function stopOf(it: Supervision): Stop | undefined {
  return it.stopped.signal.aborted ? (it.stopped.signal.reason as Stop) : undefined;
}

export function watchIntent(it: Supervision): { stop(): void } {
  const dir = laneDir(it.context.store.home, it.lane().id);
  const isAlone = leaseWatch(dir);
  const check = (): void => {
    const { intent, blocked } = it.lane();
    const run = it.run();
    if (intent === 'cancelled' || run.intent === 'cancelled') stopWorker(it, { kind: 'cancelled' });
    // A validation continues: it uses no quota, and its result is needed.
    const { state, kind } = it.attempt();
    if (!['starting', 'running'].includes(state) || kind === 'validate') return;
    if (isAlone()) stopWorker(it, { kind: 'lease', why: 'nobody has renewed its lease' });
    if (run.intent !== 'paused' && intent !== 'hold') return;
    const why = run.intent === 'paused' ? run.pauseReason : blocked;
    stopWorker(it, { kind: 'paused', why: why ?? 'the run is paused' });
  };
  check();
  const rhythm = hasLease(dir) ? LEASED : RHYTHM;
  const stop = onChange([`${it.context.store.home.database}-wal`], rhythm, () => {
    try {
      check();
    } catch (error) {
      // Another supervisor has taken over; the main flow learns it at its next write.
      if (!(error instanceof FencedError)) throw error;
    }
  });
  return { stop };
}
