/** The board in a terminal: one line a lane, nowhere wider or higher than the terminal. */
import { stripVTControlCharacters } from 'node:util';
import width from 'string-width';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FirstView, watchFirst } from '../../../src/app/view/first.ts';
import { createContext } from '../../../src/fronts/cli/command.ts';
import { rowsOf } from '../../../src/fronts/words/first-rows.ts';
import {
  type FirstScreen,
  firstLines,
  type KeyWord,
  rowDetails,
} from '../../../src/fronts/words/first-view.ts';
import { BANDS, SIGNS } from '../../../src/fronts/words/signs.ts';
import { bufferedHost } from '../../support/buffered-host.ts';
import { sandbox } from '../../support/sandbox.ts';
import { sixLanes } from '../../support/six-lanes.ts';

const plain = (text: string): string => text;
const paint = { good: plain, bad: plain, warn: plain, hint: plain, faint: plain, strong: plain };
const KEYS: readonly KeyWord[] = [
  ...['j k move', '↵ open', 'a answer', 'l log', 'd diff'].map((it) => {
    const [, key = '', word = ''] = /^(.*) (\w+)$/.exec(it) ?? [];
    return { key, word };
  }),
  { key: 'c', word: 'copy the command', short: 'copy' },
  { key: 'q', word: 'leave', isSpare: true },
  { key: '?', word: 'keys' },
];

const screen = (columns: number, rows: number, more: Partial<FirstScreen> = {}): FirstScreen => {
  return { width: columns, rows, paint, isPlain: false, ...more };
};

let view: FirstView;
const box = sandbox((remove) => afterAll(remove));
beforeAll(async () => {
  const { repo, context } = await sixLanes(box);
  const { host } = bufferedHost([], { env: box.env, cwd: () => repo, now: context.now });
  const opened = createContext(host, {});
  view = await (await watchFirst(opened, {})).look();
  await opened.close();
});

const drawn = (it: FirstScreen, selected = rowsOf(view)[0]?.id) =>
  firstLines(view, it, selected, KEYS).join('\n');

test('eighty columns', () => {
  expect(drawn(screen(80, 40))).toMatchInlineSnapshot(`
    "repo, run currencies: 0 of 7 landed       begun 3 min ago, $1.31, $2.00 reserved

    5 need you
    › ? mail           asks             2 min  Which address sends order mails? The…
      ! discount       to be looked at  2 min  2 tests gone from test/cart.test.js
      ▌ main → origin  push held        3 min  checkout: never verified
      ≠ receipt        conflict         2 min  with format in receipt.txt
      ✗ search         attempt 2 failed 2 min  new failure: search ignores accents

    At work
      ● report         running          1 min  → Bash: npm test -- report

    Not begun
      · billing…es-fix planned          1 min

    Proven
      ✓ format         verified         2 min  +1 −0  $0.31

    2 of 3 features would hold a push of main
      ▌ cart           never verified
      ▌ checkout       never verified
        lanehold feature verify --pending

    j k move  ↵ open  a answer  l log  d diff  c copy the command  q leave  ? keys"
  `);
});

test('sixty columns: short words, long keys cut in the middle', () => {
  expect(drawn(screen(60, 40))).toMatchInlineSnapshot(`
    "repo, run currencies: 0 of 7 landed    $1.31, $2.00 reserved

    5 need you
    › ? mail          asks        2 min  Which address sends or…
      ! discount      to look at  2 min  2 tests gone from test…
      ▌ main → origin push held   3 min  checkout: never verifi…
      ≠ receipt       conflict    2 min  with format in receipt…
      ✗ search        failed      2 min  new failure: search ig…

    At work
      ● report        running     1 min  → Bash: npm test -- re…

    Not begun
      · billin…es-fix planned     1 min

    Proven
      ✓ format        verified    2 min  $0.31

    2 of 3 features would hold a push of main
      ▌ cart          never verified
      ▌ checkout      never verified
        lanehold feature verify --pending

    j k move  ↵ open  a answer  l log  d diff  c copy  ? keys"
  `);
});

test('few rows: what is least urgent becomes a line, and who needs somebody is cut last', () => {
  expect(drawn(screen(80, 14))).toMatchInlineSnapshot(`
    "repo, run currencies: 0 of 7 landed       begun 3 min ago, $1.31, $2.00 reserved

    5 need you
    › ? mail           asks             2 min  Which address sends order mails? The…
      ! discount       to be looked at  2 min  2 tests gone from test/cart.test.js
      ▌ main → origin  push held        3 min  checkout: never verified
      and 2 more

    1 at work
    1 not begun
    1 verified
    2 held

    j k move  ↵ open  a answer  l log  d diff  c copy the command  q leave  ? keys"
  `);
});

test('where a push would go through, it is not said that all is verified', () => {
  const leaving = view.leaving && { ...view.leaving, held: [], uncovered: [] };
  const lines = firstLines({ ...view, leaving }, screen(80, 40), undefined, []);
  expect(lines.at(-1)).toBe('No feature would hold a push of main');
});

test('the details of a row', () => {
  const [mail] = rowsOf(view);
  if (mail === undefined) throw new Error('no row');
  const lines = rowDetails(view, mail, screen(80, 40), KEYS);
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "repo, run currencies: 0 of 7 landed       begun 3 min ago, $1.31, $2.00 reserved

    ? mail asks                                                          since 2 min
      Which address sends order mails? The settings have orders@ and noreply@, and
      customers answer to one of them.

      Task    Send a mail with each order
      Worker  claude-code, attempt 1, 0 s
      Branch  lanehold/currencies/mail
      Before  There is no sender address in the settings.
              → Read: src/mail/mail.js

      lanehold orchestrate answer mail 'ANSWER'

    j k move  ↵ open  a answer  l log  d diff  c copy the command  q leave  ? keys"
  `);
});

test('no line is wider than the terminal, there are never more than it has, and the chosen one is among them', () => {
  for (const [at, row] of rowsOf(view).entries()) {
    for (let columns = 20; columns < 120; columns += 7) {
      for (let rows = 1; rows < 40; rows += 3) {
        const size = screen(columns, rows, { isPlain: at % 2 === 0 });
        const shown = firstLines(view, size, row.id, KEYS);
        const details = rowDetails(view, row, size, KEYS);
        expect(shown.length, `${columns} × ${rows}`).toBeLessThanOrEqual(rows);
        expect(details.length).toBeLessThanOrEqual(rows);
        for (const line of [...shown, ...details])
          expect(width(line), line).toBeLessThanOrEqual(columns);
      }
    }
  }
});

test('the row that is chosen is shown however few rows there are', () => {
  for (const row of rowsOf(view)) {
    for (let rows = 12; rows < 30; rows += 1) {
      const shown = firstLines(view, screen(80, rows), row.id, KEYS);
      const start = row.subject.slice(0, 6);
      expect(shown.find((line) => line.startsWith('›')) ?? `of ${rows} rows none`).toContain(start);
    }
  }
});

test('of many proven lanes as many are shown as there is room for, around the chosen one', () => {
  const [lane] = view.board?.lanes.filter(({ state }) => state === 'verified') ?? [];
  if (view.board === null || lane === undefined) throw new Error('no lane is verified');
  const lanes = Array.from({ length: 60 }, (_, at) => ({ ...lane, key: `lane-${at}` }));
  const many = { ...view, needs: [], leaving: null, board: { ...view.board, lanes } };
  const shown = firstLines(many, screen(80, 24), 'lane.lane-40', KEYS);
  expect(shown).toHaveLength(24);
  expect(shown.slice(2, 6).join('\n')).toMatch(/^Nothing needs you\n\nProven\n {2}✓ lane-25 /);
  expect(shown.slice(-4).join('\n')).toMatch(/^› ✓ lane-40 .*\n {2}and 44 more proven\n\nj k/);
});

test('without UTF-8 everything of ours is ASCII', () => {
  expect(drawn(screen(80, 40, { isPlain: true }))).toMatch(/^[\x20-\x7e\n]*$/);
});

test('each sign is one column wide, and each state that is shown below has a band', () => {
  for (const { glyph, plain: letter } of Object.values(SIGNS)) {
    expect([glyph, width(glyph), letter.length]).toEqual([glyph, 1, 1]);
    expect(stripVTControlCharacters(letter)).toBe(letter);
  }
  expect(BANDS.flatMap(({ states }) => states).every((it) => it in SIGNS)).toBe(true);
});
