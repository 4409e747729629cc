import { describe, expect, test } from 'vitest';
import { printable } from '../../src/cli/render/printable.ts';
import { renderTable } from '../../src/cli/render/table.ts';
import { age, duration, plural } from '../../src/cli/render/time.ts';

describe('renderTable', () => {
  test('aligns columns and ends no line in spaces', () => {
    const table = renderTable([
      ['checkout', 'pending', ''],
      ['cart', 'verified', '2 hours ago'],
    ]);
    expect(table).toBe('checkout  pending\ncart      verified  2 hours ago');
  });

  test('measures what a terminal shows', () => {
    const strong = (text: string) => `\u001b[1m${text}\u001b[22m`;
    const table = renderTable([
      [{ text: '支払い', paint: strong }, 'a'],
      ['e\u0301te', 'b'],
      ['🚀', 'c'],
    ]);
    expect(table).toBe('\u001b[1m支払い\u001b[22m  a\ne\u0301te     b\n🚀      c');
  });

  test('keeps a cell on its line and the terminal out of its hands', () => {
    expect(renderTable([['a\nb\u001b[2J', 'c']])).toBe('a b\\x1b[2J  c');
  });

  test('is empty without rows', () => {
    expect(renderTable([])).toBe('');
  });
});

test.each([
  ['plain\n\ttext', 'plain\n\ttext'],
  ['\u001b]0;title\u0007', '\\x1b]0;title\\x07'],
  ['a\rb\u009b', 'a\\x0db\\x9b'],
  ['user\u202Egpj.exe', 'user\\u202egpj.exe'],
])('printable(%j)', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test.each([
  [-5, '0 s'],
  [0, '0 s'],
  [420, '0.4 s'],
  [9_960, '10 s'],
  [12_400, '12 s'],
  [59_600, '1 min'],
  [185_000, '3 min 5 s'],
  [3_599_700, '1 h'],
  [7_440_000, '2 h 4 min'],
  [86_399_000, '1 d'],
  [273_600_000, '3 d 4 h'],
])('duration(%i) is %s', (ms, words) => {
  expect(duration(ms)).toBe(words);
});

test.each([
  [0, 'just now'],
  [59, 'just now'],
  [60, '1 minute ago'],
  [5 * 60, '5 minutes ago'],
  [3 * 3600 + 1, '3 hours ago'],
  [2 * 86_400, '2 days ago'],
  [-30, 'just now'],
  [-3 * 3600, 'in 3 hours'],
])('%i seconds later, age is %s', (seconds, words) => {
  const date = new Date('2026-01-02T03:04:05Z');
  expect(age(date, new Date(date.getTime() + seconds * 1000))).toBe(words);
});

test('plural', () => {
  expect([plural(0, 'file'), plural(1, 'file'), plural(2, 'file')]).toEqual([
    '0 files',
    '1 file',
    '2 files',
  ]);
});
