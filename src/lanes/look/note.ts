/** The note on a lane: why it is in its state, and which commands continue it. */

import { compactCount, enumerated, plural, printableLine } from '../../base/text/printable.ts';
import { age, clock, duration } from '../../base/text/time.ts';
import type { EndCause } from '../../store/attempts.ts';
import type { LaneState } from '../../store/lanes.ts';
import type { Spent } from '../../store/ledger.ts';
import { flagWords, MAIN_CHANGED } from '../spec/flags.ts';
import { is, stateWords, waysOn } from '../spec/lane-states.ts';
import { integrationNote } from '../spec/outcomes.ts';
import {
  type Board,
  countStates,
  type LaneCard,
  type PullCard,
  type SupervisorState,
} from './board.ts';

const SHOWN_FAILURES = 3;
const MOST_CHARS = 2_000;

/** A reason in one line: the whole text, or its beginning. */
function cause(text: string): string {
  const line = printableLine(text, Number.POSITIVE_INFINITY);
  return line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS)}…` : line;
}

/** Why a lane is in its state, in one line; text of people and agents is made printable. */
export function noteOn(lane: LaneCard, now: Date): string {
  // If a person has to look at a lane, only that counts.
  const isLooked = isStopped(lane);
  const meant = lane.flags.filter(({ stops }) => stops || !isLooked).map(flagWords);
  const more = meant.length - SHOWN_FAILURES;
  const words = joined(', ', [...meant.slice(0, SHOWN_FAILURES), more > 0 && `${more} more`]);
  const flags = words !== '' && (isLooked ? words : `flags: ${words}`);
  const { n, endCause } = lane.attempt ?? {};
  const idle =
    is('passed', lane.state) && endCause === 'no-change' && `attempt ${n} changed nothing`;
  // A landed lane's own text says how.
  const pull = lane.pull === null || lane.state === 'landed' ? '' : pullNote(lane.pull, now);
  const reason = !isLooked && STATES[lane.state].reason?.(lane, now);
  const late = lane.team?.state === 'ended' && lane.state !== 'blocked' && lane.team.why;
  return joined('; ', [reason, flags, idle, pull, late]);
}

/** `#7 draft: 3 of 4 checks passed, lint failed, changes requested (seen 2 min ago)`. */
export function pullNote({ number, state, look, problem, landed }: PullCard, now: Date): string {
  if (state !== 'open') return `#${number} ${joined(': ', [state, landed])}`;
  const { checks = [], review = '', mergeable, queued = false, draft = false } = look ?? {};
  const named = (wanted: string) => checks.filter((it) => it.state === wanted).map((it) => it.name);
  const failed = named('failed');
  const facts = joined(', ', [
    checks.length > 0 && `${named('passed').length} of ${plural(checks.length, 'check')} passed`,
    failed.length > 0 && `${enumerated(failed, SHOWN_FAILURES)} failed`,
    review !== '' && REVIEWS[review],
    mergeable === 'conflict' && 'conflicts with its base',
    queued && 'in the merge queue',
    problem !== null && cause(problem),
  ]);
  const seen = look === null ? 'not seen yet' : `seen ${age(new Date(look.at), now)}`;
  return `${joined(': ', [`#${number} ${draft ? 'draft' : 'open'}`, facts])} (${seen})`;
}

const REVIEWS = {
  approved: 'approved',
  'changes-requested': 'changes requested',
  required: 'waits for a review',
} as const;

export const joined = (by: string, parts: readonly (string | false | null | undefined)[]): string =>
  parts.filter(Boolean).join(by);

/** Verified, but not integrated before a person has looked. */
export const isStopped = ({ state, flags }: Pick<LaneCard, 'state' | 'flags'>): boolean =>
  state === 'verified' && flags.some(({ stops }) => stops);

export const shownState = (lane: Pick<LaneCard, 'state' | 'flags'>): string =>
  stateWords(lane.state, isStopped(lane));

/** `2 of 5 lanes verified, 2 of them in conflict, 1 running, 1 asks`: each lane is counted once. */
export function summary(board: Board): string {
  const { lanes, conflicts, untried } = board;
  if (lanes.length === 0) return 'no lanes';
  const clashing = new Set(conflicts.flatMap((it) => it.lanes));
  const standing = (lane: LaneCard): string => {
    if (is('inside', lane.state)) return lane.state;
    if (isStopped(lane)) return 'to be looked at';
    if (clashing.has(lane.key)) return 'in conflict';
    return untried.includes(lane.key) ? 'not tried with the others yet' : '';
  };
  const good = lanes.filter(({ state }) => isGood(state));
  const wanted = lanes.filter(({ state }) => state !== 'cancelled');
  const others = [...countStates(board)].filter(([state]) => !isGood(state));
  return [
    `${good.length} of ${plural(wanted.length, 'lane')} verified`,
    ...[...Map.groupBy(good, standing)]
      .filter(([what]) => what !== '')
      .map(([what, { length }]) => `${length} of them ${what}`),
    ...others.map(([state, count]) => `${count} ${state}`),
  ].join(', ');
}

const isGood = (state: LaneState): boolean => state === 'verified' || is('inside', state);

const SUPERVISION: Readonly<Record<SupervisorState, string>> = {
  unresponsive: 'unresponsive: its supervisor holds the lock and shows no activity',
  none: 'no supervisor: a reconcile will take it over',
  unknown: 'cannot tell whether it is supervised',
  launching: '',
  supervised: '',
};

function workNote({ supervision, attempt, team }: LaneCard, now: Date): string {
  if (team?.state === 'claimed') return `on ${team.host}, begun ${age(team.at, now)}`;
  const { lastOutputAt: output, lastChangeAt: change } = attempt ?? {};
  return joined(', ', [
    supervision && SUPERVISION[supervision],
    output && `output ${age(output, now)}`,
    change && `change ${age(change, now)}`,
  ]);
}

function waitingNote(lane: LaneCard): string {
  const { needs, clashes } = lane.waitsFor;
  return joined('; ', [
    baseNote(lane),
    needs.length > 0 && `needs ${needs.join(', ')}`,
    clashes.length > 0 && `touches what ${clashes.join(', ')} touches`,
  ]);
}

/** A validation that proves nothing on the base will prove nothing at the end. */
function baseNote({ base }: LaneCard): string {
  if (base === null || base.proves) return '';
  const how = base.result === 'fail' ? 'fails' : 'does not run';
  return `\`${cause(base.command)}\` ${how} on the base: ${cause(base.why)}`;
}

export const isBaseless = ({ base }: LaneCard): boolean => base !== null && !base.proves;

const hindranceOf = ({ hindered }: LaneCard): string => cause(hindered ?? '');

function parkedNote(lane: LaneCard, now: Date): string {
  const { parked } = lane;
  if (parked === null) return '';
  const why = cause(joined(': ', [parked.cause, parked.why]));
  return `${why}; ${hindranceOf(lane) || untilWhat(parked, now)}`;
}

function untilWhat({ cause, until }: NonNullable<LaneCard['parked']>, now: Date): string {
  if (cause === 'setup') return 'until that lane has got on';
  if (until === null) return cause === 'disk' ? 'until there is disk space' : 'until it is resumed';
  return until > now ? `until ${clock(until, now)}` : 'due now';
}

function questionNote(lane: LaneCard): string {
  const [first, ...others] = lane.questions;
  if (first === undefined) return '';
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return joined('; ', [`${cause(first.body)}${more}`, refusalOf(lane)]);
}

/** Why the work of a lane that asks was refused, in one line; empty if it was not, or if there is none. */
export function refusalOf(lane: LaneCard): string {
  const { endReason, endCause } = lane.attempt ?? {};
  const isRefused = lane.state === 'asks' && endReason === 'rejected' && endCause !== 'no-change';
  return isRefused ? `Its work is not accepted: ${failureNote(lane)}` : '';
}

const STALE = 'verified once; the task, its validation or what it builds on has changed';
const REJUDGED = 'it has another validation since, which has not run';

function failureNote({ attempt, verdict, isRejudged }: LaneCard): string {
  if (attempt === null) return '';
  if (isRejudged) return REJUDGED;
  const { endReason, endCause, endDetail, endSha } = attempt;
  const isJudged = verdict !== null && verdict.sha === endSha && verdict.result !== 'pass';
  const judged = isJudged ? verdictNote(verdict) : '';
  // The detail gives the same reason.
  const isSaid = endCause === 'validation' || (endDetail !== null && judged.includes(endDetail));
  if (isJudged && isSaid) return judged;
  const words = endCause === null ? endReason : CAUSES[endCause];
  return joined('; ', [cause(joined(': ', [words, endDetail])), judged]);
}

/** The note of a lane without a verdict on its work. */
function untestedNote({ attempt, spec, isRejudged }: LaneCard): string {
  if (isRejudged) return REJUDGED;
  const command =
    spec.validate === undefined ? 'its validation' : `\`${printableLine(spec.validate, 60)}\``;
  return joined(': ', [`${command} could not run`, printableLine(attempt?.endDetail ?? '')]);
}

/** Words for causes that the detail does not contain. */
const CAUSES: Readonly<Partial<Record<EndCause, string>>> = {
  scope: 'changed what it may not touch',
  validation: 'validation',
  transient: 'crashed',
};

function verdictNote(verdict: NonNullable<LaneCard['verdict']>): string {
  const { result, why } = verdict;
  const command = `\`${cause(verdict.command)}\``;
  const on = `on ${verdict.sha.slice(0, 8)}`;
  if (result === 'pass') return `${command} passed ${on}`;
  const failures = verdict.newFailures ?? [];
  const which = `${plural(failures.length, 'new failure')}: ${enumerated(failures, SHOWN_FAILURES)}`;
  const how = failures.length === 0 ? cause(why) : which;
  return joined(', ', [`${command}: ${result} ${on}`, how]);
}

/** `12 turns, 340K tokens, $1.20, 14 min`; empty if nothing was used. */
export function useWords({ turns, tokens, usd, seconds }: Spent): string {
  return joined(', ', [
    turns > 0 && plural(turns, 'turn'),
    tokens > 0 && `${compactCount(tokens)} tokens`,
    usd > 0 && `$${usd.toFixed(2)}`,
    seconds > 0 && duration(seconds * 1_000),
  ]);
}

/** Headings of the handoff, in reading order. */
export const SECTIONS = {
  questions: 'Questions that wait for an answer',
  decide: 'To decide',
  running: 'Running',
  verified: 'Verified',
  waiting: 'Not begun, waiting or cancelled',
  goal: 'Goal',
  decisions: 'Decided so far',
  next: 'How to go on',
} as const;

export type Section = keyof typeof SECTIONS;

export const sectionOf = (lane: LaneCard): Section =>
  isStopped(lane) || isBaseless(lane) ? 'decide' : STATES[lane.state].section;

/** The commands for a lane. If it asks, the first ones answer its questions, in their order. */
export function nextCommands({ runOption }: Board, lane: LaneCard): string[] {
  const { key, state, attempt, rivals, spec, supervision, questions, pull } = lane;
  const standing = {
    key,
    state,
    isStopped: isStopped(lane),
    isBaseless: isBaseless(lane),
    isRejudged: lane.isRejudged,
    isSupervised: supervision === 'supervised',
    endCause: attempt?.endCause,
    endDetail: attempt?.endDetail,
    task: rivals.length > 0 ? spec.tries?.of : undefined,
    questions: questions.map(({ number }) => number),
    pull: pull?.state === 'open' ? pull : undefined,
  };
  const isMainChanged = lane.flags.some(({ kind }) => kind === MAIN_CHANGED);
  return [
    ...waysOn(standing, runOption),
    ...(isMainChanged && lane.mainCheckoutRef ? [`git show ${lane.mainCheckoutRef}`] : []),
  ];
}

export type RunStep = readonly [text: string, words: string];

/** The commands that continue a run as a whole, for lanes that wait for nothing else. */
export function runSteps({ run, lanes, pull }: Board): RunStep[] {
  const has = (state: LaneState) => lanes.some((lane) => lane.state === state);
  const isFree = (lane: LaneCard) =>
    !isStopped(lane) && lane.rivals.length === 0 && lane.pull?.state !== 'open';
  const steps: RunStep[] = [];
  if (run.intent === 'paused') steps.push(['let the run go on', 'resume']);
  if (has('planned')) steps.push(['start what can start', 'spawn --ready']);
  if (lanes.some((lane) => lane.state === 'verified' && isFree(lane)))
    steps.push(['bring verified lanes together', 'integrate']);
  if (has('integrated') && pull?.state !== 'open') steps.push(['bring it home', 'land']);
  return steps;
}

/** The command that answers each question of a lane, which may be at work meanwhile. */
export function answersTo({ runOption }: Board, { key, questions }: LaneCard): string[] {
  const numbers = questions.map(({ number }) => number);
  return waysOn({ key, state: 'asks', questions: numbers }, runOption);
}

interface StateWords {
  readonly section: Section;
  readonly reason?: (lane: LaneCard, now: Date) => string;
}

const AT_WORK: StateWords = { section: 'running', reason: workNote };
const queueNote = ({ integration }: LaneCard) =>
  integration === null ? '' : cause(integrationNote(integration));
const UNFIT: StateWords = { section: 'decide', reason: queueNote };

const STATES: Readonly<Record<LaneState, StateWords>> = {
  planned: { section: 'waiting', reason: baseNote },
  waiting: { section: 'waiting', reason: waitingNote },
  ready: {
    section: 'waiting',
    reason: (lane) =>
      joined('; ', [waitingNote(lane), lane.waitsFor.clashes.length === 0 && hindranceOf(lane)]),
  },
  starting: {
    ...AT_WORK,
    reason: (lane, now) =>
      joined('; ', [lane.attempt?.endDetail ?? 'its supervisor begins', workNote(lane, now)]),
  },
  running: AT_WORK,
  validating: {
    ...AT_WORK,
    // Its worker has ended, so the worker's last action is no news.
    reason: ({ supervision, attempt }) =>
      joined(', ', [supervision && SUPERVISION[supervision], attempt?.endDetail]),
  },
  parked: { section: 'decide', reason: parkedNote },
  asks: { section: 'decide', reason: questionNote },
  blocked: { section: 'decide', reason: ({ blocked }) => cause(blocked ?? '') },
  failed: { section: 'decide', reason: failureNote },
  untested: { section: 'decide', reason: untestedNote },
  stale: { section: 'decide', reason: (lane) => joined('; ', [STALE, hindranceOf(lane)]) },
  verified: {
    section: 'verified',
    reason: ({ verdict, rivals }) =>
      joined('; ', [
        rivals.length > 0 && `one of ${rivals.length + 1} tries`,
        verdict && verdictNote(verdict),
      ]),
  },
  integrating: { section: 'running', reason: queueNote },
  conflict: UNFIT,
  culprit: UNFIT,
  integrated: { section: 'verified', reason: queueNote },
  landed: { section: 'verified', reason: queueNote },
  'taken-back': UNFIT,
  cancelled: { section: 'waiting' },
};
