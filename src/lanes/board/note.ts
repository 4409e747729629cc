/** Why a lane is in its state, in one line; text of people and agents is made printable. */
import { enumerated, plural } from '../../text/count.ts';
import { printableLine } from '../../text/printable.ts';
import { age } from '../../text/time.ts';
import type { LaneCard, VerdictCard } from './lane-cards.ts';

const SHOWN_FAILURES = 3;

export function noteOn(lane: LaneCard, now: Date): string {
  const flags = lane.flags.length > 0 ? `flags: ${enumerated(lane.flags, SHOWN_FAILURES)}` : '';
  return [reasonOf(lane, now), flags].filter((it) => it !== '').join('; ');
}

function reasonOf(lane: LaneCard, now: Date): string {
  switch (lane.state) {
    case 'starting':
    case 'running':
    case 'validating':
      return [supervisionNote(lane), quiet(lane, now)].filter((it) => it !== '').join(', ');
    case 'waiting':
      return waitingNote(lane);
    case 'parked':
      return parkedNote(lane, now);
    case 'asks':
      return questionNote(lane);
    case 'blocked':
      return printableLine(lane.blocked ?? '');
    case 'failed':
      return failureNote(lane);
    case 'verified':
      return lane.verdict === null ? '' : verdictNote(lane.verdict);
    case 'stale':
      return staleNote(lane);
    case 'conflict':
    case 'culprit':
    case 'integrating':
      return printableLine(lane.integration?.detail ?? '');
    case 'ready':
      return printableLine(lane.hindered ?? '');
    case 'planned':
    case 'integrated':
    case 'landed':
    case 'cancelled':
      return '';
  }
}

function supervisionNote({ supervision }: LaneCard): string {
  switch (supervision) {
    case 'unresponsive':
      return 'unresponsive: its supervisor holds the lock and shows no activity';
    case 'none':
      return 'no supervisor: a tick will take it over';
    case 'unknown':
      return 'cannot tell whether it is supervised';
    case 'launching':
    case 'supervised':
    case null:
      return '';
  }
}

function quiet({ attempt }: LaneCard, now: Date): string {
  if (attempt === null) return '';
  const { lastOutputAt, lastChangeAt } = attempt;
  const parts: string[] = [];
  if (lastOutputAt !== null) parts.push(`output ${age(lastOutputAt, now)}`);
  if (lastChangeAt !== null) parts.push(`change ${age(lastChangeAt, now)}`);
  return parts.join(', ');
}

function waitingNote({ waitsFor: { needs, clashes } }: LaneCard): string {
  const parts: string[] = [];
  if (needs.length > 0) parts.push(`needs ${needs.join(', ')}`);
  if (clashes.length > 0) parts.push(`touches what ${clashes.join(', ')} touches`);
  return parts.join('; ');
}

function staleNote({ hindered }: LaneCard): string {
  const why = hindered === null ? '' : `; ${printableLine(hindered)}`;
  return `verified once; the task, its validation or what it builds on has changed${why}`;
}

function parkedNote({ parked, hindered }: LaneCard, now: Date): string {
  if (parked === null) return '';
  const next = hindered === null ? untilWhat(parked, now) : printableLine(hindered);
  return `${printableLine(parked.why)}; ${next}`;
}

function untilWhat({ why, until }: NonNullable<LaneCard['parked']>, now: Date): string {
  if (until === null)
    return why.startsWith('disk: ') ? 'until there is disk space' : 'until it is resumed';
  return until > now ? age(until, now) : 'due now';
}

function questionNote({ questions }: LaneCard): string {
  const first = questions[0];
  if (first === undefined) return '';
  const more = questions.length > 1 ? ` and ${questions.length - 1} more` : '';
  return `${printableLine(first.body)}${more}`;
}

function failureNote({ attempt, verdict }: LaneCard): string {
  const { endReason, endDetail, endSha } = attempt ?? {};
  const ended = printableLine([endReason, endDetail].filter(Boolean).join(': '));
  const judged = verdict !== null && verdict.sha === endSha && verdict.result !== 'pass';
  return judged ? `${ended}; ${verdictNote(verdict)}` : ended;
}

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
