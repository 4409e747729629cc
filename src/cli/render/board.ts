/** A run on one screen: the verdict, a line per lane, then what waits for somebody. */
import type { BoardData } from '../../app/runs.ts';
import type { Board } from '../../lanes/board/board.ts';
import type { LaneCard } from '../../lanes/board/lane-card.ts';
import { summary } from '../../lanes/handoff/page.ts';
import type { LaneState } from '../../store/lanes.ts';
import type { Spent } from '../../store/ledger.ts';
import type { Budget } from '../../store/runs.ts';
import { enumerated } from '../../text/count.ts';
import { printableLine } from '../../text/printable.ts';
import { age, duration } from '../../text/time.ts';
import type { Paint, Painter } from './colour.ts';
import { type Cell, renderTable } from './table.ts';

export interface Screen {
  readonly paint: Painter;
  /** Columns of the terminal; unlimited where there is none. */
  readonly width: number;
}

export function renderBoard(board: BoardData, screen: Screen): string {
  const { paint, width } = screen;
  const { run } = board;
  const rows = board.lanes.map((lane) => laneRow(lane, { now: board.at, paint }));
  const head = ['KEY', 'STATE', 'AGENT', 'FOR', 'USED', 'NOTE'].map((text) => ({
    text,
    paint: paint.faint,
  }));
  return [
    `${run.name}: ${summary(board)}${runNote(board)}`,
    paint.faint(printableLine(run.goal, Math.min(width, 200))),
    ...(rows.length === 0 ? [] : [renderTable([head, ...rows], width)]),
    ...questions(board, paint),
    ...troubles(board, screen),
    ...money(board),
  ].join('\n');
}

type LaneData = BoardData['lanes'][number];

function runNote({ run }: Board): string {
  if (run.intent === 'active') return '';
  const why = run.pauseReason === null ? '' : ` (${printableLine(run.pauseReason)})`;
  return `; the run is ${run.intent}${why}`;
}

function laneRow(lane: LaneData, { now, paint }: { now: Date; paint: Painter }): Cell[] {
  const { attempt } = lane;
  return [
    lane.key,
    { text: lane.state, paint: paintFor(lane.state, paint) },
    printableLine(attempt?.agent ?? lane.spec.agent),
    attempt === null ? '' : lastedFor(attempt, now),
    usedText(lane),
    lane.note,
  ];
}

function lastedFor(attempt: NonNullable<LaneCard['attempt']>, now: Date): string {
  return duration((attempt.endedAt ?? now).getTime() - attempt.startedAt.getTime());
}

function usedText({ attempt, spent }: LaneCard): string {
  const usd = attempt?.usage?.usd ?? 0;
  if (spent.usd > 0 || usd > 0) return `$${Math.max(spent.usd, usd).toFixed(2)}`;
  const tokens = attempt?.usage?.tokens ?? 0;
  return tokens === 0 ? '' : `${compact.format(tokens)} tok`;
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

function paintFor(state: LaneState, paint: Painter): Paint {
  switch (state) {
    case 'verified':
    case 'integrated':
    case 'landed':
      return paint.good;
    case 'failed':
    case 'conflict':
    case 'culprit':
      return paint.bad;
    case 'asks':
    case 'parked':
    case 'blocked':
    case 'stale':
      return paint.warn;
    case 'starting':
    case 'running':
    case 'validating':
    case 'integrating':
      return paint.hint;
    case 'planned':
    case 'waiting':
    case 'ready':
    case 'cancelled':
      return paint.faint;
  }
}

const SHOWN_HELPS = 2;

function hint(commands: readonly string[], paint: Painter): string[] {
  if (commands.length === 0) return [];
  return [`  ${paint.hint('hint:')} ${commands.slice(0, SHOWN_HELPS).join(', ')}`];
}

function questions(board: Board, paint: Painter): string[] {
  return board.lanes.flatMap((lane) =>
    lane.questions.flatMap(({ body, at }) => [
      `${paint.warn('asks')} ${lane.key}, ${age(at, board.at)}: ${printableLine(body, 400)}`,
      ...hint([`lanehold orchestrate answer ${lane.key} '<text>'${board.runOption}`], paint),
    ]),
  );
}

const TROUBLED: ReadonlySet<LaneState> = new Set([
  'failed',
  'conflict',
  'culprit',
  'blocked',
  'stale',
]);

function troubles(board: BoardData, { paint, width }: Screen): string[] {
  // Where the table is not cut, it has said why.
  const why = (lane: LaneData) => (Number.isFinite(width) ? `: ${lane.note}` : '');
  const lanes = board.lanes
    .filter((lane) => TROUBLED.has(lane.state) || isUnattended(lane))
    .flatMap((lane) => [
      `${paint.bad(lane.state)} ${lane.key}${why(lane)}`,
      ...hint(lane.help, paint),
    ]);
  const conflicts = board.conflicts.map(({ lanes: [lane, other], paths, command }) => {
    const what = paths.length > 0 ? `in ${enumerated(paths, 3)}` : `in \`${command ?? ''}\``;
    const pair = `${lane} and ${other ?? 'what is integrated'}`;
    return `${paint.bad('conflict')} of ${pair}: ${printableLine(what, 300)}`;
  });
  const amiss = board.untrue.map(
    ({ about, now }) => `${paint.bad('amiss')} ${printableLine(about)}: ${printableLine(now, 400)}`,
  );
  return [...lanes, ...conflicts, ...amiss];
}

function isUnattended({ supervision }: LaneCard): boolean {
  return supervision === 'unresponsive' || supervision === 'unknown';
}

function money({ budget, breakers, at }: Board): string[] {
  const parts = [
    ...against(budget.spent, budget.cap, 'of the run'),
    ...against(budget.spentToday, budget.dayCap, 'of today'),
  ];
  return [
    ...(parts.length === 0 ? [] : [`spent ${parts.join(', ')}`]),
    ...breakers.map(
      ({ account, resumeAt, evidence }) =>
        `account ${printableLine(account)} is used up, again ${age(resumeAt, at)}: ${printableLine(evidence)}`,
    ),
  ];
}

function against(spent: Spent, cap: Budget, whose: string): string[] {
  return (['usd', 'tokens', 'turns', 'seconds'] as const).flatMap((kind) => {
    const limit = cap[kind];
    if (limit === undefined) return [];
    const used = kind === 'usd' ? spent.usd.toFixed(2) : String(spent[kind]);
    return [`${used} of ${limit} ${kind} ${whose}`];
  });
}
