/** A run on one screen: the verdict, a line for each lane, then questions, problems and budgets. */

import { stripVTControlCharacters as stripped } from 'node:util';
import type { BoardData } from '../../app/lanes/runs.ts';
import { compactCount, enumerated } from '../../base/text/count.ts';
import { printableLine } from '../../base/text/printable.ts';
import { age, clock, duration } from '../../base/text/time.ts';
import { conflictText } from '../../lanes/fit/open-conflicts.ts';
import type { Board, LaneCard } from '../../lanes/look/board.ts';
import {
  answersTo,
  isStopped,
  pullNote,
  shownState,
  summary,
  useWords,
} from '../../lanes/look/note.ts';
import { MAIN_CHANGED } from '../../lanes/spec/flags.ts';
import { is } from '../../lanes/spec/lane-states.ts';
import type { Spent } from '../../store/ledger.ts';
import type { Budget } from '../../store/runs.ts';
import type { Output } from './output.ts';
import { SIGNS, TONES } from './signs.ts';
import { type Cell, type Painter, painter, renderTable } from './table.ts';

export interface Screen {
  readonly paint: Painter;
  /** Columns of the terminal; unlimited without a terminal. */
  readonly width: number;
}

export async function screenOf(context: Output): Promise<Screen> {
  const { stdout } = context.streams;
  return {
    paint: await painter(context, 'stdout'),
    width: stdout.columns || Number.POSITIVE_INFINITY,
  };
}

export function renderBoard(board: BoardData, screen: Screen): string {
  const { paint, width } = screen;
  const { run } = board;
  const resume = `lanehold orchestrate resume${board.runOption}`;
  const lanes = inOrder(board);
  const rows = lanes.map((lane) => laneRow(lane, { now: board.at, paint }));
  const head = HEAD.map((text) => ({ text, paint: paint.faint }));
  const table = renderTable(withoutEmpty([head, ...rows]), width);
  const lines = table.split('\n').slice(1);
  const cut = new Set(lanes.filter((_, at) => stripped(`${lines[at]}`).endsWith('…')));
  return [
    `${run.name}: ${summary(board)}${runNote(board)}`,
    paint.faint(printableLine(run.goal, Math.min(width, 200))),
    ...(run.intent === 'paused' ? hintLines([resume], paint) : []),
    ...(rows.length === 0 ? [] : [table]),
    ...(board.pull === null ? [] : [`pull request ${pullNote(board.pull, board.at)}`]),
    ...questionLines(board, screen),
    ...problemLines(board, screen, cut),
    ...budgetLines(board),
  ].join('\n');
}

const HEAD = ['KEY', 'STATE', 'AGENT', 'FOR', 'DIFF', 'USED', 'NOTE'] as const;

/** The rows without columns that are empty for all lanes. */
function withoutEmpty([head = [], ...rows]: readonly (readonly Cell[])[]): Cell[][] {
  const last = head.length - 1;
  const filled = head.map((_, at) => at === last || rows.some((row) => row[at] !== ''));
  return [head, ...rows].map((row) => row.filter((_, at) => filled[at]));
}

/** The lanes, those that wait for a person first. */
function inOrder({ lanes }: BoardData): LaneData[] {
  return lanes.toSorted((one, other) => urgency(one) - urgency(other));
}

function urgency(lane: LaneData): number {
  if (lane.state === 'asks') return 0;
  if (isStopped(lane)) return 1;
  return is('stuck', lane.state) ? 2 : 3;
}

export type LaneData = BoardData['lanes'][number];

function runNote({ run }: Board): string {
  if (run.intent === 'active') return '';
  const why = run.pauseReason === null ? '' : ` (${printableLine(run.pauseReason, 2_000)})`;
  return `; the run is ${run.intent}${why}`;
}

function laneRow(lane: LaneData, { now, paint }: { now: Date; paint: Painter }): Cell[] {
  const { attempt } = lane;
  return [
    lane.key,
    // The text is short, to leave room for the reason.
    { text: isStopped(lane) ? 'to look at' : lane.state, paint: coloured(lane, paint) },
    printableLine(attempt?.agent ?? lane.spec.agent),
    attempt === null ? '' : timeText(attempt, now),
    lane.diff === null ? '' : `+${lane.diff.added} -${lane.diff.removed}`,
    usedText(lane),
    [lane.doing ?? '', lane.note].filter((it) => it !== '').join('; '),
  ];
}

function timeText(attempt: NonNullable<LaneCard['attempt']>, now: Date): string {
  return duration((attempt.endedAt ?? now).getTime() - attempt.startedAt.getTime());
}

function usedText({ attempt, used }: LaneCard): string {
  const usd = Math.max(used.usd, attempt?.usage?.usd ?? 0);
  if (usd > 0) return `$${usd.toFixed(2)}`;
  const tokens = attempt?.usage?.tokens ?? 0;
  return tokens === 0 ? '' : `${compactCount(tokens)} tok`;
}

const coloured = (lane: LaneData, paint: Painter): Painter['faint'] =>
  paint[TONES[SIGNS[isStopped(lane) ? 'look' : lane.state].tone]];

const SHOWN_COMMANDS = 4;
const SHOWN_NAMES = 3;

const hintLines = (commands: readonly string[], paint: Painter): string[] =>
  commands.slice(0, SHOWN_COMMANDS).map((it) => `  ${paint.hint('hint:')} ${it}`);

function questionLines(board: BoardData, { paint }: Screen): string[] {
  return board.lanes.flatMap((lane) =>
    lane.questions.flatMap(({ body, at }, number) => [
      `${paint.warn('asks')} ${lane.key}, ${age(at, board.at)}: ${inLines(body)}`,
      ...hintLines(answersTo(board, lane).slice(number, number + 1), paint),
    ]),
  );
}

/** The text with all lines but the first indented. */
const inLines = (text: string): string =>
  text
    .slice(0, 2_000)
    .split('\n')
    .map((line) => printableLine(line))
    .join('\n  ');

const isProblem = (lane: LaneData): boolean =>
  is('stuck', lane.state) || isStopped(lane) || hasStray(lane) || UNATTENDED.has(lane.supervision);

/** Whether the main checkout was changed, which its owner has to see once. */
const hasStray = ({ state, flags }: LaneData): boolean =>
  !is('over', state) && flags.some(({ kind }) => kind === MAIN_CHANGED);

const UNATTENDED: ReadonlySet<LaneCard['supervision']> = new Set(['unresponsive', 'unknown']);

/** @param cut lanes whose note the table has cut off. */
function problemLines(
  board: BoardData,
  { paint, width }: Screen,
  cut: ReadonlySet<LaneData>,
): string[] {
  // Without a terminal the table is not cut off, and its notes give the reason.
  const why = (lane: LaneData) => (Number.isFinite(width) ? `: ${lane.note}` : '');
  const lanes = board.lanes
    .filter((lane) => isProblem(lane) || (cut.has(lane) && lane.state !== 'asks'))
    .flatMap((lane) => [
      `${coloured(lane, paint)(shownState(lane))} ${lane.key}${why(lane)}`,
      ...(isProblem(lane) ? hintLines(lane.help, paint) : []),
    ]);
  const conflicts = board.conflicts.map((it) => {
    const [lane, other = 'what is integrated'] = it.lanes;
    const why = conflictText(it, (names) => enumerated(names, SHOWN_NAMES));
    return `${paint.bad('conflict')} of ${lane} and ${other}: ${printableLine(why, 2_000)}`;
  });
  const amiss = board.untrue.map(
    ({ about, now }) =>
      `${paint.bad('amiss')} ${printableLine(about)}: ${printableLine(now, 2_000)}`,
  );
  return [...lanes, ...conflicts, ...amiss];
}

function budgetLines({ budget, breakers, notifyFailure, at }: Board): string[] {
  const used = useWords(budget.used);
  const parts = [
    ...usedOf(budget.used, budget.spent, budget.cap, 'of the run'),
    ...usedOf(budget.usedToday, budget.spentToday, budget.dayCap, 'of today'),
  ];
  return [
    ...(used === '' ? [] : [`used so far: ${used}`]),
    ...(parts.length === 0 ? [] : [`caps: ${parts.join(', ')}`]),
    ...(notifyFailure === null
      ? []
      : [`lanes.notify did not reach you: ${printableLine(notifyFailure, 400)}`]),
    ...breakers.map(
      ({ account, resumeAt, evidence }) =>
        `account ${printableLine(account)} is used up until ${clock(resumeAt, at)}: ${printableLine(evidence)}`,
    ),
  ];
}

/** What running attempts may still use is listed apart from what was used. */
function usedOf(used: Spent, spent: Spent, cap: Budget, whose: string): string[] {
  return (['usd', 'tokens', 'turns', 'seconds'] as const).flatMap((kind) => {
    const limit = cap[kind];
    if (limit === undefined) return [];
    const shown = (amount: number) => (kind === 'usd' ? amount.toFixed(2) : String(amount));
    const left = spent[kind] - used[kind];
    const reserved = left > 0 ? `, ${shown(left)} more reserved` : '';
    return [`${shown(used[kind])} of ${limit} ${kind} ${whose}${reserved}`];
  });
}
