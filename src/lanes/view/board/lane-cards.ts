/** Makes cards of lanes from the store and the disk. */
import { existsSync } from 'node:fs';
import { type Attempt, attemptStore, isLive } from '../../../store/attempts.ts';
import { integrationStore } from '../../../store/integrations.ts';
import { laneReportStore, type Report } from '../../../store/lane-events.ts';
import { laneValidationStore, type Validation } from '../../../store/lane-validations.ts';
import { type LaneState, type LaneView, laneStore } from '../../../store/lanes.ts';
import { ledgerStore } from '../../../store/ledger.ts';
import type { Store } from '../../../store/open.ts';
import { flagsOf } from '../../model/flags.ts';
import { supervisionOf } from './supervision.ts';

export type LaneCard = Readonly<ReturnType<ReturnType<typeof laneCards>>>;
export type VerdictCard = ReturnType<typeof toVerdict>;
export type QuestionCard = ReturnType<typeof toQuestion>;

/**
 * Returns a function that makes one card; the stores that it needs are prepared once.
 *
 * @param hindered why lanes that could start did not, by key: a limit, an account, a cap.
 */
export function laneCards(store: Store, now: Date, hindered: Readonly<Record<string, string>>) {
  const attempts = attemptStore(store);
  const validations = laneValidationStore(store);
  const reports = laneReportStore(store);
  const lanes = laneStore(store);
  const integrations = integrationStore(store);
  const ledger = ledgerStore(store);
  return (lane: LaneView) => {
    const { id, key, state, spec } = lane;
    const tries = attempts.ofLane(id);
    const last = tries.at(-1);
    // The verdict that the state follows from; else the last one of the lane, to say what failed.
    const verdict =
      lane.validationId === null
        ? validations.ofLane(id).findLast(({ subject }) => subject === 'lane')
        : validations.byId(lane.validationId);
    const questions = reports
      .ofLane(id)
      .filter(({ kind, answeredAt }) => kind === 'ask' && answeredAt === null);
    return {
      ...{ id, key, state, spec, desc: spec.desc, notes: spec.notes },
      ...picked(lane, 'specRev', 'specHash', 'branch', 'worktree', 'adopted'),
      ...picked(lane, 'baseSha', 'headSha', 'blocked'),
      /** Unmet needs, and running lanes whose files clash with its own. */
      waitsFor: {
        needs: lanes.unmet(id),
        clashes: state === 'waiting' ? lanes.liveClashes(id) : [],
      },
      hindered: MAY_BE_DUE.has(state) ? (hindered[key] ?? null) : null,
      ...workOf(lane, last, now),
      verdict: verdict === undefined ? null : toVerdict(verdict),
      integration:
        lane.integrationId === null ? null : (integrations.byId(lane.integrationId) ?? null),
      questions: questions.map((report) => toQuestion(lane, report, tries)),
      /** Warnings besides the state. */
      flags: flagsOf(store, lane),
      /** What is recorded but not found on the disk. */
      amiss: amissOnDisk(lane, verdict),
      spent: ledger.ofLane(id),
    };
  };
}

function picked<T, Name extends keyof T>(from: T, ...names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, Name>;
}

/** A waiting lane's reasons are its needs and clashes. */
const MAY_BE_DUE: ReadonlySet<LaneState> = new Set(['ready', 'parked', 'stale']);

function workOf({ state }: LaneView, last: Attempt | undefined, now: Date) {
  if (last === undefined) return { parked: null, live: false, supervision: null, attempt: null };
  const live = isLive(last);
  const { endCause: cause, endDetail, resumeAt } = last;
  const parked = { cause, why: endDetail ?? 'no reason is recorded', until: resumeAt };
  return {
    parked: state === 'parked' ? parked : null,
    live,
    supervision: live ? supervisionOf(last, now) : null,
    /** The last attempt, live or not. */
    attempt: toAttemptCard(last),
  };
}

/** `sessionId`: the agent's own id of the conversation, to continue it by hand. */
function toAttemptCard(it: Attempt) {
  return {
    ...picked(it, 'id', 'n', 'kind', 'state', 'endReason', 'endCause', 'endDetail'),
    ...picked(
      it,
      'agent',
      'model',
      'sessionId',
      'exitCode',
      'startSha',
      'endSha',
      'startedAt',
      'endedAt',
    ),
    ...picked(it, 'lastOutputAt', 'lastChangeAt', 'usage', 'dir'),
  };
}

/** A verdict with what is needed to check it. */
function toVerdict(it: Validation) {
  return {
    ...{ validationId: it.id, command: it.cmd },
    ...picked(it, 'result', 'sha', 'exitCode', 'newFailures', 'why', 'flags'),
    ...picked(it, 'logPath', 'logSha256', 'at'),
  };
}

/** `agent` and `sessionId` are those of the worker that asked. */
function toQuestion({ key: lane }: LaneView, report: Report, tries: readonly Attempt[]) {
  const asked = tries.find(({ id }) => id === report.attemptId) ?? tries.at(-1);
  return {
    ...picked(report, 'id', 'body', 'by', 'at'),
    ...{ lane, agent: asked?.agent ?? null, sessionId: asked?.sessionId ?? null },
  };
}

function amissOnDisk(lane: LaneView, verdict: Validation | undefined): string[] {
  const amiss: string[] = [];
  // While a lane is starting, its worktree does not exist yet.
  if (lane.state !== 'starting' && lane.worktree !== null && !existsSync(lane.worktree))
    amiss.push('its worktree is gone');
  if (verdict !== undefined && !existsSync(verdict.logPath)) {
    amiss.push('the log of its validation is gone');
  }
  return amiss;
}
