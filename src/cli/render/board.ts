/** A run on one screen: the verdict, a line per lane, then questions, problems and budgets. */
import type { BoardData } from '../../app/runs.ts';
import type { Board } from '../../lanes/board/board.ts';
import type { LaneCard } from '../../lanes/board/lane-cards.ts';
import { summary } from '../../lanes/handoff/page.ts';
import type { LaneState } from '../../store/lanes.ts';
import type { Spent } from '../../store/ledger.ts';
import type { Budget } from '../../store/runs.ts';
import { enumerated } from '../../text/count.ts';
import { printableLine } from '../../text/printable.ts';
import { age, duration } from '../../text/time.ts';
import type { Painter } from './colour.ts';
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
    ...questionLines(board, paint),
    ...problemLines(board, screen),
    ...budgetLines(board),
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
    { text: lane.state, paint: paint[COLOURS[lane.state]] },
    printableLine(attempt?.agent ?? lane.spec.agent),
    attempt === null ? '' : timeText(attempt, now),
    usedText(lane),
    lane.note,
  ];
}

function timeText(attempt: NonNullable<LaneCard['attempt']>, now: Date): string {
  return duration((attempt.endedAt ?? now).getTime() - attempt.startedAt.getTime());
}

function usedText({ attempt, spent }: LaneCard): string {
  const usd = attempt?.usage?.usd ?? 0;
  if (spent.usd > 0 || usd > 0) return `$${Math.max(spent.usd, usd).toFixed(2)}`;
  const tokens = attempt?.usage?.tokens ?? 0;
  return tokens === 0 ? '' : `${compact.format(tokens)} tok`;
}

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

const COLOURS = {
  verified: 'good',
  integrated: 'good',
  landed: 'good',
  failed: 'bad',
  conflict: 'bad',
  culprit: 'bad',
  asks: 'warn',
  parked: 'warn',
  blocked: 'warn',
  stale: 'warn',
  starting: 'hint',
  running: 'hint',
  validating: 'hint',
  integrating: 'hint',
  planned: 'faint',
  waiting: 'faint',
  ready: 'faint',
  cancelled: 'faint',
} as const satisfies Readonly<Record<LaneState, keyof Painter>>;

const SHOWN_COMMANDS = 2;

function hintLines(commands: readonly string[], paint: Painter): string[] {
  if (commands.length === 0) return [];
  return [`  ${paint.hint('hint:')} ${commands.slice(0, SHOWN_COMMANDS).join(', ')}`];
}

function questionLines(board: Board, paint: Painter): string[] {
  return board.lanes.flatMap((lane) =>
    lane.questions.flatMap(({ body, at }) => [
      `${paint.warn('asks')} ${lane.key}, ${age(at, board.at)}: ${printableLine(body, 400)}`,
      ...hintLines([`lanehold orchestrate answer ${lane.key} '<text>'${board.runOption}`], paint),
    ]),
  );
}

const NOT_GOING_ON: ReadonlySet<LaneState> = new Set([
  'failed',
  'conflict',
  'culprit',
  'blocked',
  'stale',
]);

function problemLines(board: BoardData, { paint, width }: Screen): string[] {
  // Without a terminal the table is not cut off, and its notes say why.
  const why = (lane: LaneData) => (Number.isFinite(width) ? `: ${lane.note}` : '');
  const lanes = board.lanes
    .filter((lane) => NOT_GOING_ON.has(lane.state) || isUnattended(lane))
    .flatMap((lane) => [
      `${paint.bad(lane.state)} ${lane.key}${why(lane)}`,
      ...hintLines(lane.help, paint),
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

function budgetLines({ budget, breakers, at }: Board): string[] {
  const parts = [
    ...usedOf(budget.spent, budget.cap, 'of the run'),
    ...usedOf(budget.spentToday, budget.dayCap, 'of today'),
  ];
  return [
    ...(parts.length === 0 ? [] : [`spent ${parts.join(', ')}`]),
    ...breakers.map(
      ({ account, resumeAt, evidence }) =>
        `account ${printableLine(account)} is used up, again ${age(resumeAt, at)}: ${printableLine(evidence)}`,
    ),
  ];
}

function usedOf(spent: Spent, cap: Budget, whose: string): string[] {
  return (['usd', 'tokens', 'turns', 'seconds'] as const).flatMap((kind) => {
    const limit = cap[kind];
    if (limit === undefined) return [];
    const used = kind === 'usd' ? spent.usd.toFixed(2) : String(spent[kind]);
    return [`${used} of ${limit} ${kind} ${whose}`];
  });
}
