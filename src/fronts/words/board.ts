/** A run as text: the verdict, then the sections of the first view, problems and budgets. */
import { stripVTControlCharacters as stripped } from 'node:util';
import type { BoardData, LaneOnBoard } from '../../app/lanes/runs.ts';
import { enumerated, inLines, printableLine } from '../../base/text/printable.ts';
import { conflictText } from '../../lanes/fit/open-conflicts.ts';
import type { Board, LaneCard } from '../../lanes/look/board.ts';
import { inOrder, needsOfRun } from '../../lanes/look/needs.ts';
import { joined, pullNote, summary, useWords } from '../../lanes/look/note.ts';
import { MAIN_CHANGED } from '../../lanes/spec/flags.ts';
import { is } from '../../lanes/spec/lane-states.ts';
import type { Budget } from '../../store/lanes.ts';
import type { Spent } from '../../store/ledger.ts';
import { type FirstRow, type Section, sectionsOf } from './first-rows.ts';
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
  const { run, at, pull } = board;
  const { paint, width } = screen;
  const resume = `lanehold orchestrate resume${board.runOption}`;
  const needs = inOrder(needsOfRun(board));
  const cancelled = board.lanes.filter(({ state }) => state === 'cancelled').map(({ key }) => key);
  return inLines([
    `${run.name}: ${summary(board)}${runNote(board)}`,
    paint.faint(printableLine(run.goal, Math.min(width, 200))),
    run.intent === 'paused' && hintLines([resume], paint),
    ...sectionLines(sectionsOf({ at, needs, board, leaving: null }), screen),
    cancelled.length > 0 && `cancelled: ${cancelled.join(', ')}`,
    pull !== null && `pull request ${pullNote(pull, at)}`,
    ...problemLines(board, paint),
    ...budgetLines(board),
  ]);
}

function runNote({ run }: Board): string {
  if (run.intent === 'active') return '';
  const why = run.pauseReason === null ? '' : ` (${printableLine(run.pauseReason, 2_000)})`;
  return `; the run is ${run.intent}${why}`;
}

/** Aligns the rows of all sections; text that does not fit, and the next command, are below a row. */
function sectionLines(sections: readonly Section[], screen: Screen): string[] {
  const cells = sections.flatMap(({ rows }) => rows.map((row) => rowCells(row, screen)));
  const lines = renderTable(cells, screen.width - INDENT.length).split('\n');
  return sections.flatMap(({ heading, rows }, at) => {
    if (rows.length === 0 && (at > 0 || cells.length === 0)) return [];
    const of = rows.flatMap((row) => rowLines(row, `${lines.shift()}`, screen.paint));
    return [screen.paint.strong(heading), ...of.map((line) => INDENT + line)];
  });
}

const INDENT = '  ';

function rowCells(row: FirstRow, { paint, width }: Screen): Cell[] {
  const { subject, sign, state, time, lane } = row;
  const { word, tone } = SIGNS[sign];
  const agent = joined(' on ', [
    lane?.attempt?.agent ?? lane?.spec.agent,
    lane?.team?.state === 'to-offer' || lane?.team?.state === 'offered'
      ? 'the team'
      : lane?.team?.host,
  ]);
  const said = { text: state ?? word, paint: paint[TONES[tone]] };
  // Without a terminal a row is not cut off, and gives the first line of the whole reason.
  const text = Number.isFinite(width) ? row.text : linesOf(wholeOf(row))[0];
  return [subject, said, printableLine(agent), time, text ?? ''];
}

const wholeOf = ({ text, whole, isNeed }: FirstRow): string =>
  isNeed ? whole || text : joined('; ', [text, !text.includes(whole) && whole]);

const linesOf = (text: string): string[] =>
  text
    .slice(0, 2_000)
    .split('\n')
    .map((it) => printableLine(it, 2_000));

function rowLines(row: FirstRow, line: string, paint: Painter): string[] {
  const { whole, commands, lane, isNeed } = row;
  const plain = stripped(line);
  const said = linesOf(whole);
  const isSaid = isNeed ? plain.includes(said[0] ?? '') : !plain.endsWith('…');
  return [
    line,
    ...(isSaid ? said.slice(1) : said).map((it) => `  ${it}`),
    ...(isNeed || (lane !== undefined && isProblem(lane)) ? hintLines(commands, paint) : []),
  ];
}

const SHOWN_COMMANDS = 4;
const SHOWN_NAMES = 3;

const hintLines = (commands: readonly string[], paint: Painter): string[] =>
  commands.slice(0, SHOWN_COMMANDS).map((it) => `  ${paint.hint('hint:')} ${it}`);

/** Whether nobody supervises the lane, or the main checkout was changed, which its owner must see once. */
const isProblem = ({ state, flags, supervision }: LaneOnBoard): boolean =>
  UNATTENDED.has(supervision) ||
  (!is('over', state) && flags.some(({ kind }) => kind === MAIN_CHANGED));

const UNATTENDED: ReadonlySet<LaneCard['supervision']> = new Set(['unresponsive', 'unknown']);

function problemLines({ conflicts, untrue }: BoardData, paint: Painter): string[] {
  const clashes = conflicts.map((it) => {
    const [lane, other = 'what is integrated'] = it.lanes;
    const why = conflictText(it, (names) => enumerated(names, SHOWN_NAMES));
    return `${paint.bad('conflict')} of ${lane} and ${other}: ${printableLine(why, 2_000)}`;
  });
  const amiss = untrue.map(
    ({ about, now }) =>
      `${paint.bad('amiss')} ${printableLine(about)}: ${printableLine(now, 2_000)}`,
  );
  return [...clashes, ...amiss];
}

function budgetLines({ budget, notifyFailure }: Board) {
  const used = useWords(budget.used);
  const parts = [
    ...usedOf(budget.used, budget.spent, budget.cap, 'of the run'),
    ...usedOf(budget.usedToday, budget.spentToday, budget.dayCap, 'of today'),
  ];
  return [
    used !== '' && `workers used so far: ${used}`,
    parts.length > 0 && `caps: ${parts.join(', ')}`,
    notifyFailure !== null &&
      `lanes.notify did not reach you: ${printableLine(notifyFailure, 400)}`,
  ];
}

/** The rest that running attempts may use is listed apart from what was used. */
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
