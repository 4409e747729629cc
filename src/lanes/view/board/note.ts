/** What is said of a lane: why it is in its state, and which commands move it on. */
import type { EndCause } from '../../../store/attempts.ts';
import type { LaneState } from '../../../store/lanes.ts';
import type { Spent } from '../../../store/ledger.ts';
import { compactCount, enumerated, plural } from '../../../text/count.ts';
import { printableLine } from '../../../text/printable.ts';
import { age, clock, duration } from '../../../text/time.ts';
import { flagWords } from '../../model/flags.ts';
import type { Board } from './board.ts';
import type { LaneCard, VerdictCard } from './lane-cards.ts';
import type { Supervision } from './supervision.ts';

const SHOWN_FAILURES = 3;

/** In one line; text of people and agents is made printable. */
export function noteOn(lane: LaneCard, now: Date): string {
  const words = lane.flags.map(flagWords);
  const flags = words.length > 0 ? `flags: ${enumerated(words, SHOWN_FAILURES)}` : '';
  return joined('; ', [reasonOf(lane, now), flags]);
}

/** Verified, but not integrated before a person has looked. */
export const isStopped = ({ state, flags }: LaneCard): boolean =>
  state === 'verified' && flags.some(({ stops }) => stops);

function reasonOf(lane: LaneCard, now: Date): string {
  return STATES[lane.state].reason?.(lane, now) ?? '';
}

const SUPERVISION: Readonly<Record<Supervision, string>> = {
  unresponsive: 'unresponsive: its supervisor holds the lock and shows no activity',
  none: 'no supervisor: a reconcile will take it over',
  unknown: 'cannot tell whether it is supervised',
  launching: '',
  supervised: '',
};

function workNote({ supervision, attempt }: LaneCard, now: Date): string {
  const { lastOutputAt: output, lastChangeAt: change } = attempt ?? {};
  return joined(', ', [
    supervision === null ? '' : SUPERVISION[supervision],
    output ? `output ${age(output, now)}` : '',
    change ? `change ${age(change, now)}` : '',
  ]);
}

const joined = (by: string, parts: readonly string[]): string =>
  parts.filter((it) => it !== '').join(by);

function waitingNote({ waitsFor: { needs, clashes } }: LaneCard): string {
  return joined('; ', [
    needs.length === 0 ? '' : `needs ${needs.join(', ')}`,
    clashes.length === 0 ? '' : `touches what ${clashes.join(', ')} touches`,
  ]);
}

function staleNote({ hindered }: LaneCard): string {
  const why = hindered === null ? '' : `; ${printableLine(hindered)}`;
  return `verified once; the task, its validation or what it builds on has changed${why}`;
}

function parkedNote({ parked, hindered }: LaneCard, now: Date): string {
  if (parked === null) return '';
  const next = hindered === null ? untilWhat(parked, now) : printableLine(hindered);
  return `${printableLine(joined(': ', [parked.cause ?? '', parked.why]))}; ${next}`;
}

function untilWhat({ cause, until }: NonNullable<LaneCard['parked']>, now: Date): string {
  if (until === null) return cause === 'disk' ? 'until there is disk space' : 'until it is resumed';
  return until > now ? `until ${clock(until, now)}` : 'due now';
}

function questionNote({ questions }: LaneCard): string {
  const first = questions[0];
  if (first === undefined) return '';
  const more = questions.length > 1 ? ` and ${questions.length - 1} more` : '';
  return `${printableLine(first.body)}${more}`;
}

function failureNote({ attempt, verdict }: LaneCard): string {
  if (attempt === null) return '';
  const { endReason, endCause, endDetail, endSha } = attempt;
  const isJudged = verdict !== null && verdict.sha === endSha && verdict.result !== 'pass';
  // It says why in the same words.
  if (isJudged && endCause === 'validation') return verdictNote(verdict);
  const words = endCause === null ? endReason : (CAUSES[endCause] ?? '');
  const ended = printableLine(joined(': ', [words ?? '', endDetail ?? '']));
  return isJudged ? `${ended}; ${verdictNote(verdict)}` : ended;
}

/** Where the detail does not say it by itself. */
const CAUSES: Readonly<Partial<Record<EndCause, string>>> = {
  scope: 'changed what it may not touch',
  validation: 'validation',
  transient: 'crashed',
};

export function verdictNote(verdict: VerdictCard): string {
  const command = `\`${printableLine(verdict.command, 60)}\``;
  const on = `on ${verdict.sha.slice(0, 8)}`;
  if (verdict.result === 'pass') return `${command} passed ${on}`;
  const { newFailures: failures } = verdict;
  const which =
    failures === null || failures.length === 0
      ? printableLine(verdict.why)
      : `${plural(failures.length, 'new failure')}: ${enumerated(failures, SHOWN_FAILURES)}`;
  return `${command}: ${verdict.result} ${on}${which === '' ? '' : `, ${which}`}`;
}

/** `12 turns, 340K tokens, $1.20, 14 min`; empty if nothing was used. */
export function useWords({ turns, tokens, usd, seconds }: Spent): string {
  return joined(', ', [
    turns === 0 ? '' : plural(turns, 'turn'),
    tokens === 0 ? '' : `${compactCount(tokens)} tokens`,
    usd === 0 ? '' : `$${usd.toFixed(2)}`,
    seconds === 0 ? '' : duration(seconds * 1_000),
  ]);
}

/** In the order in which to try them. */
export function nextCommands({ runOption }: Board, lane: LaneCard): string[] {
  const next = STATES[lane.state].next?.(lane) ?? [];
  return next.map((words) => `lanehold orchestrate ${words}${runOption}`);
}

interface StateWords {
  readonly reason?: (lane: LaneCard, now: Date) => string;
  readonly next?: (lane: LaneCard) => string[];
}

const AT_WORK: StateWords = {
  reason: workNote,
  next: ({ key, supervision }) =>
    supervision === 'supervised' ? [`logs ${key} -f`] : ['sync', `logs ${key}`],
};
const integrationNote = ({ integration }: LaneCard) => printableLine(integration?.detail ?? '');
const UNFIT: StateWords = {
  reason: integrationNote,
  next: ({ key }) => [`logs ${key}`, `retry ${key}`],
};

const STATES: Readonly<Record<LaneState, StateWords>> = {
  planned: { next: ({ key }) => [`spawn ${key}`] },
  waiting: { reason: waitingNote },
  ready: { reason: ({ hindered }) => printableLine(hindered ?? '') },
  starting: AT_WORK,
  running: AT_WORK,
  validating: AT_WORK,
  parked: { reason: parkedNote, next: ({ key }) => [`resume ${key}`] },
  asks: { reason: questionNote, next: ({ key }) => [`answer ${key} '<text>'`] },
  blocked: {
    reason: ({ blocked }) => printableLine(blocked ?? ''),
    next: ({ key }) => [`lane block ${key} --clear`],
  },
  failed: { reason: failureNote, next: afterFailure },
  stale: { reason: staleNote, next: ({ key }) => [`verify ${key}`] },
  verified: {
    reason: ({ verdict }) => (verdict === null ? '' : verdictNote(verdict)),
    next: (lane) => [isStopped(lane) ? `integrate --accept ${lane.key}` : 'integrate'],
  },
  integrating: { reason: integrationNote },
  conflict: UNFIT,
  culprit: UNFIT,
  integrated: { next: () => ['land'] },
  landed: {},
  cancelled: {},
};

function afterFailure({ key, attempt }: LaneCard): string[] {
  // Only its declared scope was exceeded: the work may be fine.
  const isScope = attempt?.endCause === 'scope';
  const next = isScope
    ? [`lane widen ${key} --touches '<glob>'`, `verify ${key}`]
    : [`retry ${key}`];
  return [`logs ${key}`, ...next];
}
