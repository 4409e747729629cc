/**
 * The first view in a terminal: who needs somebody, then what is at work, not begun and proven, then what would not
 * leave. One line each, never more lines than the terminal has; the details of one row on a screen of its own.
 */
import visible from 'string-width';
import type { FirstView } from '../../app/view/first.ts';
import { plural } from '../../base/text/count.ts';
import { printable, printableLine } from '../../base/text/printable.ts';
import { duration } from '../../base/text/time.ts';
import type { HoldReason } from '../../features/reason.ts';
import { is } from '../../lanes/spec/lane-states.ts';
import type { LaneData } from './board.ts';
import { fitted } from './fit.ts';
import { BANDS, SIGNS, type SignName, TONES } from './signs.ts';
import { cut, type Painter } from './table.ts';

export interface FirstScreen {
  readonly width: number;
  readonly rows: number;
  readonly paint: Painter;
  /** Signs and cuts in ASCII. */
  readonly isPlain: boolean;
}

/** A line of the view that can be chosen. */
export interface FirstRow {
  /** Stays the same from one look to the next. */
  readonly id: string;
  readonly sign: SignName;
  readonly subject: string;
  /** Instead of the usual word of the sign, where there is room. */
  readonly state?: string | undefined;
  /** How long, in one whole unit; empty where that is not known. */
  readonly time: string;
  /** Of the last section, whose heading says the state. */
  readonly isLeaving: boolean;
  readonly text: string;
  /** The same where there are few columns. */
  readonly short: string;
  readonly whole: string;
  readonly commands: readonly string[];
  readonly lane: LaneData | undefined;
}

interface Section {
  readonly heading: string;
  readonly rows: readonly FirstRow[];
  /** What it is where there is no room for its rows; absent: rows are left out from its end. */
  readonly brief?: string;
  /** `3 more`, and what of. */
  readonly more: string;
  /** What answers all of it. */
  readonly command?: string;
  /** It is shown without rows, too. */
  readonly isAlways?: true;
}

/** Narrower terminals show the short words. */
const WIDE = 76;
const FEWEST = { rows: 12, columns: 40 };

export const rowsOf = (view: FirstView): FirstRow[] => sectionsOf(view).flatMap(({ rows }) => rows);

function sectionsOf(view: FirstView): Section[] {
  const { needs, board } = view;
  const laneOf = (key: string | undefined, run: string | undefined) =>
    run === board?.run.name ? board?.lanes.find((it) => it.key === key) : undefined;
  const asking = needs.map((need): FirstRow => {
    const lane = laneOf(need.lane?.key, need.lane?.run);
    const tries = lane?.attempts.length ?? 0;
    const state = need.kind === 'failed' && tries > 1 ? `failed, ${tries} tries` : undefined;
    const { id, kind, subject, since, text, whole } = need;
    const commands = need.commands.map(({ command }) => command);
    const time = since === null ? '' : ago(since, view.at, false);
    const row = { id, sign: kind, subject, state, time, text, short: text, whole, commands, lane };
    return { ...row, isLeaving: false };
  });
  const seen = new Set(asking.map(({ lane }) => lane?.key));
  const bands = BANDS.map(({ name, states }): Section => {
    const rows = (board?.lanes ?? [])
      .filter(({ key, state }) => !seen.has(key) && states.some((it) => it === state))
      .map((lane) => laneRow(lane, view.at));
    const word = name.toLowerCase();
    const brief = `${rows.length} ${word === 'proven' ? provenWord(rows) : word}`;
    return { heading: name, rows, more: word, ...(word === 'at work' ? {} : { brief }) };
  });
  const waiting = asking.length === 1 ? '1 needs you' : `${asking.length} need you`;
  const heading = asking.length === 0 ? 'Nothing needs you' : waiting;
  return [{ heading, rows: asking, more: '' }, ...bands, ...leavingSection(view)];
}

/** The state that all of them have. */
function provenWord(rows: readonly FirstRow[]): string {
  const signs = new Set(rows.map(({ sign }) => sign));
  return signs.size === 1 ? [...signs].join() : 'proven';
}

function laneRow(lane: LaneData, now: Date): FirstRow {
  const { key, state, since, diff, doing, note, used, tests, help } = lane;
  const time = ago(since, now, is('moving', state));
  const ran = tests.ran === null ? '' : `${plural(tests.ran, 'test')} ran`;
  const fresh =
    tests.ran === null || tests.ranOnBase === null
      ? 0
      : Math.max(0, tests.ran - tests.ranOnBase + tests.removed.length);
  const size =
    diff === null || diff.added + diff.removed === 0 ? '' : `+${diff.added} −${diff.removed}`;
  const cost = used.usd > 0 ? money(used.usd) : '';
  const proven = (...facts: readonly string[]) => facts.filter((it) => it !== '').join(', ');
  const isProven = BANDS[2].states.some((it) => it === state);
  const said = isProven ? proven(ran, cost) : (doing ?? note);
  const long = isProven ? proven(ran, fresh > 0 ? `${fresh} new` : '', cost) : said;
  return {
    ...{ id: `lane.${key}`, sign: state, subject: key, time, isLeaving: false, whole: note, lane },
    text: [size, long].filter((it) => it !== '').join('  '),
    short: said,
    commands: help,
  };
}

function leavingSection({ leaving }: FirstView): Section[] {
  if (leaving === null || leaving.features === 0) return [];
  const { features, held, uncovered, branch } = leaving;
  if (held.length + uncovered.length === 0) {
    const heading = `${plural(features, 'feature')}, all verified for what would leave`;
    return [{ heading, rows: [], more: '', brief: heading, isAlways: true }];
  }
  const rows = held.map(({ feature, reason, changedFiles = [], why }): FirstRow => {
    const [file = ''] = changedFiles;
    const other = changedFiles.length > 1 ? ` and ${changedFiles.length - 1} more` : '';
    const isChanged = reason === 'changed-since' && file !== '';
    const text = isChanged ? `changed since it was verified: ${file}${other}` : REASONS[reason];
    const short = isChanged ? `changed: ${file}${other}` : REASONS[reason];
    const row = { id: `leaving.${feature}`, sign: 'held' as const, subject: feature, text, short };
    const commands = [`lanehold feature verify ${feature}`];
    const state = 'would be held';
    return { ...row, state, time: '', isLeaving: true, whole: why, commands, lane: undefined };
  });
  const would = branch === null ? 'would be held' : `would hold a push of ${branch}`;
  if (held.length === 0) {
    const heading = `Held or asked about: ${uncovered.join('; ')}`;
    return [{ heading, rows, more: '', brief: heading, isAlways: true }];
  }
  const heading = `${held.length} of ${plural(features, 'feature')} ${would}`;
  const brief = `${held.length} held`;
  return [{ heading, rows, more: 'held', brief, command: 'lanehold feature verify --pending' }];
}

const REASONS: Readonly<Record<HoldReason['kind'], string>> = {
  'never-verified': 'never verified',
  failed: 'its smoke test failed',
  'waiver-expired': 'its waiver has expired',
  'too-old': 'verified too long ago',
  'changed-since': 'changed since it was verified',
  'verified-beside': 'verified beside what does not leave',
  'verified-elsewhere': 'verified in the working tree, which differs',
};

const isTooSmall = ({ rows, width }: FirstScreen): boolean =>
  rows < FEWEST.rows || width < FEWEST.columns;

/** @param selected the id of a row; the keys are told where one is given. @returns no more lines than there are rows. */
export function firstLines(
  view: FirstView,
  screen: FirstScreen,
  selected: string | undefined,
  keys: readonly KeyWord[],
): string[] {
  const { width, rows } = screen;
  if (isTooSmall(screen)) return [cut(view.line, width, mark(screen))];
  const legend = keys.length === 0 ? [] : ['', keyLine(keys, screen)];
  const room = rows - 1 - legend.length;
  const blocks = withinRoom(sectionsOf(view), room, selected);
  const body = blocks.flatMap((block, at) => {
    return [...(isNext(block, blocks[at - 1]) ? [] : ['']), ...blockLines(block, screen, selected)];
  });
  return [headLine(view, screen), ...body, ...legend];
}

interface Block {
  readonly heading: string;
  readonly rows: readonly FirstRow[];
  /** How many of its rows are left out. */
  readonly left: number;
  readonly more: string;
  readonly command: string | undefined;
}

const isBrief = ({ rows, command }: Block): boolean => rows.length === 0 && command === undefined;

/** Blocks of one line stand below one another, all others after a blank line. */
const isNext = (block: Block, before: Block | undefined): boolean =>
  before !== undefined && isBrief(before) && isBrief(block);

const heightOf = (block: Block, at: number, all: readonly Block[]): number => {
  const { rows, left, command } = block;
  const more = left > 0 && rows.length > 0 ? 1 : 0;
  return (
    (isNext(block, all[at - 1]) ? 0 : 1) + 1 + rows.length + more + (command === undefined ? 0 : 1)
  );
};

/** Less of what is least urgent, until it fits: proven lanes first, and who needs somebody at last. */
function withinRoom(
  sections: readonly Section[],
  room: number,
  selected: string | undefined,
): readonly Block[] {
  const [asking, ...others] = sections
    .filter(({ rows, isAlways }, at) => at === 0 || rows.length > 0 || isAlways)
    .map((it): { section: Section; block: Block } => {
      const { heading, rows, more, command } = it;
      return { section: it, block: { heading, rows, left: 0, more, command } };
    });
  if (asking === undefined) return [];
  const blocks = [asking, ...others];
  const isTooHigh = () => {
    const all = blocks.map(({ block }) => block);
    return all.reduce((sum, block, at) => sum + heightOf(block, at, all), 0) > room;
  };
  for (const heading of ['Proven', 'Not begun', undefined]) {
    const found = others.find(({ section }) =>
      heading === undefined ? section.command !== undefined : section.heading === heading,
    );
    if (found === undefined || !isTooHigh()) continue;
    const brief = found.section.brief ?? found.section.heading;
    found.block = { heading: brief, rows: [], left: 0, more: '', command: undefined };
  }
  const cuttable = [...others.filter(({ section }) => section.heading === 'At work'), asking];
  for (const it of cuttable) {
    const { section } = it;
    const place = Math.max(
      0,
      section.rows.findIndex(({ id }) => id === selected),
    );
    for (let shown = section.rows.length - 1; shown >= 0 && isTooHigh(); shown -= 1) {
      const from = Math.min(Math.max(0, place - shown + 1), section.rows.length - shown);
      const rows = section.rows.slice(from, from + shown);
      const heading =
        shown === 0 && section.more !== ''
          ? `${section.rows.length} ${section.more}`
          : section.heading;
      it.block = { ...it.block, heading, rows, left: section.rows.length - shown };
    }
  }
  return blocks.map(({ block }) => block);
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
  const text = shown(width >= WIDE ? row.text : row.short, room);
  const line = `${colour(isPlain ? plain : glyph)} ${key} ${begun}${text}`.trimEnd();
  return isSelected ? paint.strong(`${isPlain ? '>' : '›'} ${line}`) : `  ${line}`;
}

/** Signs of our own; names and words of others stay as they are. */
const inAscii = (text: string, isPlain: boolean): string =>
  isPlain ? text.replaceAll('→', '->').replaceAll('−', '-') : text;

const MINUTE = 60_000;

/** One whole unit, so that a line changes only when that does. */
function ago(since: Date, now: Date, isAtWork: boolean): string {
  const ms = Math.max(0, now.getTime() - since.getTime());
  if (ms < MINUTE) return isAtWork ? `${Math.floor(ms / 1_000)} s` : '<1 min';
  const minutes = Math.floor(ms / MINUTE);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 24 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440)} d`;
}

const money = (usd: number): string => `$${usd.toFixed(2)}`;

/** `shop, run currencies: 1 of 6 landed`, and at the right what it cost. */
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

/** A key with what it does; where there is little room, with the shorter words, or not at all. */
export interface KeyWord {
  readonly key: string;
  readonly word: string;
  readonly short?: string;
  /** Left out first where there is too little room. */
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

/** All that there is to say of one row. */
export function rowDetails(
  view: FirstView,
  row: FirstRow,
  screen: FirstScreen,
  keys: readonly KeyWord[],
) {
  const { width, rows, paint, isPlain } = screen;
  if (isTooSmall(screen)) return [cut(view.line, width, mark(screen))];
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
    // A line each, whatever it quotes.
    ...(need?.lane?.before ?? []).map((line, at) => {
      return [
        at === 0 ? 'Before' : '',
        cut(printableLine(line, 400), width - 10, mark(screen)),
      ] as const;
    }),
  ];
  const said = printable(row.whole === '' ? row.text : row.whole).split('\n');
  // Prose keeps its indent where it goes on.
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
  // A word that is longer than a line is not broken.
  const fitting = shown.map((line) => cut(line, width, mark(screen)));
  return [headLine(view, screen), '', ...fitting, '', keyLine(keys, screen)];
}

function workerText({ attempt, spec, used, reserved }: LaneData, now: Date): string {
  if (attempt === null) return spec.agent;
  const { agent, n, startedAt, endedAt } = attempt;
  const lasted = duration((endedAt ?? now).getTime() - startedAt.getTime());
  const costs = [
    ...(used.usd > 0 ? [money(used.usd)] : []),
    ...(reserved.usd > 0 ? [`${money(reserved.usd)} reserved`] : []),
  ];
  return [agent ?? spec.agent, `attempt ${n}`, lasted, ...costs].join(', ');
}
