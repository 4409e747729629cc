/**
 * The first view on a terminal: never more lines than it has, nor wider ones; and one row of it on a screen of its own.
 */
import visible from 'string-width';
import type { LaneOnBoard } from '../../app/lanes/runs.ts';
import type { FirstView } from '../../app/view/first.ts';
import { printable, printableLine } from '../../base/text/printable.ts';
import { duration } from '../../base/text/time.ts';
import { ago, type FirstRow, money, needsWord, type Section, sectionsOf } from './first-rows.ts';
import { fitted } from './fit.ts';
import { SIGNS, TONES } from './signs.ts';
import { cut, type Painter } from './table.ts';

export interface FirstScreen {
  readonly width: number;
  readonly rows: number;
  readonly paint: Painter;
  /** Signs and ellipses in ASCII. */
  readonly isPlain: boolean;
}

/** Narrower terminals get the short words. */
const WIDE = 76;
const FEWEST = { rows: 12, columns: 40 };

const isTooSmall = ({ rows, width }: FirstScreen): boolean =>
  rows < FEWEST.rows || width < FEWEST.columns;

/**
 * @param selected the id of a row, with which the keys are listed. @returns at most as many lines as the terminal has.
 */
export function firstLines(
  view: FirstView,
  screen: FirstScreen,
  selected: string | undefined,
  keys: readonly KeyWord[],
): string[] {
  const { width, rows } = screen;
  if (isTooSmall(screen)) return [cut(needsWord(view), width, mark(screen))];
  const legend = keys.length === 0 ? [] : ['', keyLine(keys, screen)];
  const room = rows - 1 - legend.length;
  const blocks = withinRoom(sectionsOf(view), room, selected);
  const body = blocks.flatMap((block, at) => {
    return [...(isNext(block, blocks[at - 1]) ? [] : ['']), ...blockLines(block, screen, selected)];
  });
  return [headLine(view, screen), ...body, ...legend];
}

interface Block extends Section {
  readonly left: number;
}

const isBrief = ({ rows, command }: Block): boolean => rows.length === 0 && command === undefined;

/** Blocks of one line follow each other directly, all others after a blank line. */
const isNext = (block: Block, before: Block | undefined): boolean =>
  before !== undefined && isBrief(before) && isBrief(block);

const heightOf = (block: Block, at: number, all: readonly Block[]): number => {
  const { rows, left, command } = block;
  const more = left > 0 && rows.length > 0 ? 1 : 0;
  return (
    (isNext(block, all[at - 1]) ? 0 : 1) + 1 + rows.length + more + (command === undefined ? 0 : 1)
  );
};

/** Shortens blocks until all fits, the least urgent first: proven lanes first, those that need a person last. */
function withinRoom(
  sections: readonly Section[],
  room: number,
  selected: string | undefined,
): readonly Block[] {
  const [asking, ...others] = sections
    .filter(({ rows, isAlways }, at) => at === 0 || rows.length > 0 || isAlways)
    .map((section): Placed => ({ section, block: { ...section, left: 0 } }));
  if (asking === undefined) return [];
  const blocks = [asking, ...others];
  const isTooHigh = () => {
    const all = blocks.map(({ block }) => block);
    return all.reduce((sum, block, at) => sum + heightOf(block, at, all), 0) > room;
  };
  // Rows around the selected one stay.
  const chosen = others.find(({ section }) => section.rows.some(({ id }) => id === selected));
  for (const heading of ['Proven', 'Not begun', undefined]) {
    const found = others.find(({ section }) =>
      heading === undefined ? section.command !== undefined : section.heading === heading,
    );
    if (found === undefined || found === chosen || !isTooHigh()) continue;
    const brief = found.section.brief ?? found.section.heading;
    found.block = { heading: brief, rows: [], left: 0, more: '' };
  }
  const atWork = others.filter(({ section }) => section.heading === 'At work');
  for (const it of new Set([chosen, ...atWork, asking])) {
    if (it !== undefined) cutRows(it, { selected, least: it === chosen ? 1 : 0, isTooHigh });
  }
  return blocks.map(({ block }) => block);
}

interface Placed {
  readonly section: Section;
  block: Block;
}

interface Cut {
  readonly selected: string | undefined;
  readonly least: number;
  readonly isTooHigh: () => boolean;
}

function cutRows(it: Placed, { selected, least, isTooHigh }: Cut): void {
  const { rows, heading: title, more } = it.section;
  const place = Math.max(
    0,
    rows.findIndex(({ id }) => id === selected),
  );
  for (let shown = rows.length - 1; shown >= least && isTooHigh(); shown -= 1) {
    const from = Math.min(Math.max(0, place - shown + 1), rows.length - shown);
    const heading = shown === 0 && more !== '' ? `${rows.length} ${more}` : title;
    const left = rows.length - shown;
    it.block = { ...it.block, heading, rows: rows.slice(from, from + shown), left };
  }
}

function blockLines(block: Block, screen: FirstScreen, selected: string | undefined): string[] {
  const { width } = screen;
  const { heading, rows, left, more, command } = block;
  const fits = command !== undefined && command.length + 4 <= width;
  return [
    cut(heading, width, mark(screen)),
    ...rows.map((row) => rowLine(row, screen, row.id === selected)),
    ...(left > 0 && rows.length > 0
      ? [`  and ${[left, 'more', more].filter((it) => it !== '').join(' ')}`]
      : []),
    ...(command === undefined ? [] : [fits ? `    ${command}` : '']),
  ];
}

const mark = ({ isPlain }: Pick<FirstScreen, 'isPlain'>): string => (isPlain ? '...' : '…');

const padded = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - visible(text)));

function rowLine(row: FirstRow, screen: FirstScreen, isSelected: boolean): string {
  const { width, paint, isPlain } = screen;
  const [keyWidth, stateWidth] = width >= WIDE ? [14, 16] : [13, 11];
  const { glyph, plain, word, short = word, tone } = SIGNS[row.sign];
  const colour = paint[TONES[tone]];
  const shown = (text: string, columns: number, tail = 0) =>
    cut(inAscii(printableLine(text, 1_000), isPlain), columns, mark(screen), tail);
  const key = padded(shown(row.subject, keyWidth, Math.floor((keyWidth - 1) / 2)), keyWidth);
  const state = shown(width >= WIDE ? (row.state ?? word) : short, stateWidth);
  const begun = row.isLeaving
    ? ''
    : `${colour(padded(state, stateWidth))}${row.time.padStart(6)}  `;
  const room = width - 4 - keyWidth - 1 - (row.isLeaving ? 0 : stateWidth + 8);
  const text = shown(width >= WIDE ? row.text : (row.short ?? row.text), room);
  const line = `${colour(isPlain ? plain : glyph)} ${key} ${begun}${text}`.trimEnd();
  return isSelected ? paint.strong(`${isPlain ? '>' : '›'} ${line}`) : `  ${line}`;
}

/** Replaces lanehold's signs; names and words of others stay as they are. */
const inAscii = (text: string, isPlain: boolean): string =>
  isPlain ? text.replaceAll('→', '->').replaceAll('−', '-') : text;

/** `shop, run currencies: 1 of 6 landed`, with the costs on the right. */
function headLine({ project, board, at }: FirstView, screen: FirstScreen): string {
  const { width } = screen;
  if (board === null) return cut(`${project.name}: no open run`, width, mark(screen));
  const { run, lanes, budget } = board;
  const landed = lanes.filter(({ state }) => state === 'landed').length;
  const paused = run.intent === 'active' ? '' : `, ${run.intent}`;
  const left = `${project.name}, run ${run.name}: ${landed} of ${lanes.length} landed${paused}`;
  const reserved = budget.reserved.usd > 0 ? `, ${money(budget.reserved.usd)} reserved` : '';
  const used = budget.used.usd > 0 ? money(budget.used.usd) : '';
  const begun = `begun ${ago(run.createdAt, at, false)} ago`;
  const rights = [
    [begun, used].filter((it) => it !== '').join(', ') + reserved,
    used + (used === '' ? '' : reserved),
    used,
  ];
  const right = rights.find((it) => left.length + it.length + 2 <= width) ?? '';
  const room = width - (right === '' ? 0 : right.length + 2);
  const shown = cut(printableLine(left, 300), room, mark(screen));
  return `${padded(shown, width - right.length)}${right}`.trimEnd();
}

/** A key and its meaning; with little space the shorter words, or nothing. */
export interface KeyWord {
  readonly key: string;
  readonly word: string;
  readonly short?: string;
  /** It is left out first if there is too little space. */
  readonly isSpare?: true;
}

function keyLine(keys: readonly KeyWord[], { width, isPlain, paint }: FirstScreen): string {
  const joined = (some: readonly KeyWord[], isShort: boolean) =>
    some
      .map(
        ({ key, word, short = word }) =>
          `${isPlain && key === '↵' ? 'enter' : key} ${isShort ? short : word}`,
      )
      .join('  ');
  const needed = keys.filter(({ isSpare }) => isSpare !== true);
  const lines = [joined(keys, false), joined(keys, true), joined(needed, true)];
  return paint.faint(cut(lines.find((it) => visible(it) <= width) ?? lines.at(-1) ?? '', width));
}

export function rowDetails(
  view: FirstView,
  row: FirstRow,
  screen: FirstScreen,
  keys: readonly KeyWord[],
) {
  const { width, rows, paint, isPlain } = screen;
  if (isTooSmall(screen)) return [cut(needsWord(view), width, mark(screen))];
  const { lane } = row;
  const { glyph, plain, word } = SIGNS[row.sign];
  const since = row.time === '' ? '' : `since ${row.time}`;
  const title = `${isPlain ? plain : glyph} ${row.subject} ${row.state ?? word}`;
  const need = view.needs.find(({ id }) => id === row.id);
  const attempt = lane?.attempt;
  const facts: readonly (readonly [string, string])[] = [
    ['Task', lane?.desc ?? need?.lane?.task ?? ''],
    ['Worker', lane === undefined ? '' : workerText(lane, view.at)],
    ['Proof', attempt && lane?.verdict ? `${lane.verdict.command}: ${lane.verdict.result}` : ''],
    ['Branch', lane?.branch ?? ''],
    // Each is one line, whatever it quotes.
    ...(need?.lane?.before ?? []).map((line, at): [string, string] => [
      at === 0 ? 'Before' : '',
      cut(printableLine(line, 400), width - 10, mark(screen)),
    ]),
  ];
  const said = printable(row.whole === '' ? row.text : row.whole).split('\n');
  // Prose keeps its indent in further lines.
  const prose = said.map((line) => fitted(`  ${line}`, width).replaceAll('\n    ', '\n  '));
  const text = [
    '',
    ...facts
      .filter(([, fact]) => fact !== '')
      .map(([name, fact]) => `${name.padEnd(8)}${printableLine(fact, 2_000)}`),
    '',
    ...row.commands,
  ].map((line) => (line === '' ? '' : `  ${line}`));
  const head = `${padded(cut(title, width - since.length - 1, mark(screen)), width - since.length)}${since}`;
  const below = fitted(text.join('\n'), width);
  const lines = [paint.strong(head.trimEnd()), ...[...prose, below].join('\n').split('\n')];
  const most = rows - 4;
  const shown = lines.length > most ? [...lines.slice(0, most - 1), `  ${mark(screen)}`] : lines;
  // A word that is longer than a line is truncated.
  const fitting = shown.map((line) => cut(line, width, mark(screen)));
  return [headLine(view, screen), '', ...fitting, '', keyLine(keys, screen)];
}

function workerText({ attempt, spec, used, reserved }: LaneOnBoard, now: Date): string {
  if (attempt === null) return spec.agent;
  const { agent, n, startedAt, endedAt } = attempt;
  const lasted = duration((endedAt ?? now).getTime() - startedAt.getTime());
  const costs = [
    ...(used.usd > 0 ? [money(used.usd)] : []),
    ...(reserved.usd > 0 ? [`${money(reserved.usd)} reserved`] : []),
  ];
  return [agent ?? spec.agent, `attempt ${n}`, lasted, ...costs].join(', ');
}
