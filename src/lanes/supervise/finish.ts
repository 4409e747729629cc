/** Ends an attempt: stores its reason, settles its budget, and sets the lane's intent. */
import { type AttemptNote, attemptStore, type EndReason } from '../../store/attempts.ts';
import { laneReportStore } from '../../store/lane-reports.ts';
import { laneStore } from '../../store/lanes.ts';
import { ledgerStore } from '../../store/ledger.ts';
import type { Supervision } from './supervision.ts';

export interface Ending {
  readonly reason: EndReason;
  readonly detail: string;
  /** For a parked attempt: when a tick may resume it. */
  readonly resumeAt?: Date;
  /** Started again automatically, as often as the run's policy allows. */
  readonly again?: 'yes';
}

const MAX_DETAIL = 4_000;

export function finish(it: Supervision, { reason, detail, resumeAt, again }: Ending): void {
  const { store } = it.context;
  const attempt = it.attempt();
  const lane = it.lane();
  const note: AttemptNote = {
    endReason: reason,
    endDetail: detail.slice(0, MAX_DETAIL),
    resumeAt: resumeAt ?? null,
    endedAt: it.context.now(),
  };
  it.move('ended', note, () => {
    ledgerStore(store).settle(it.attemptId);
    if (lane.intent === 'cancelled') return;
    const goesOn =
      reason === 'parked' || (again === 'yes' && startsLeft(it, lane.id, lane.wantsAfter) > 0);
    if (attempt.kind === 'validate') return;
    // Only work that was asked for continues automatically.
    laneStore(store).setIntent(lane.id, goesOn ? 'run' : 'hold');
    // An answer that came while the worker was ending asks for another attempt.
    const unheard = reason !== 'verified' && laneReportStore(store).untold(lane.id).length > 0;
    if (unheard && reason !== 'parked') laneStore(store).want(lane.id);
  });
}

export function cancelAttempt(it: Supervision): void {
  const note = { endReason: 'cancelled', endedAt: it.context.now() } as const;
  it.move('cancelled', note, () => ledgerStore(it.context.store).settle(it.attemptId));
}

/** How many automatic starts are left since the work was last asked for. */
function startsLeft(it: Supervision, laneId: string, after: number): number {
  const tried = attemptStore(it.context.store)
    .ofLane(laneId)
    .filter(({ n, kind, endReason }) => n > after && kind !== 'validate' && endReason !== 'parked');
  return it.run().policy.attempts - tried.length;
}
