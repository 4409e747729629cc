import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  age,
  clock,
  duration,
  formatAge,
  formatTimeout,
  MAX_TIMEOUT_MS,
  parseAge,
  parseDuration,
  parseTimeout,
} from '../../../src/base/text/time.ts';

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

test('a time of another day has its date', () => {
  const now = new Date(2026, 0, 2, 3, 4);
  expect(clock(new Date(2026, 0, 2, 14, 5), now)).toBe('14:05');
  expect(clock(new Date(2026, 0, 3, 9, 0), now)).toBe('Jan 3 09:00');
});

test.each([
  ['90s', 90_000],
  ['90m', 5_400_000],
  ['24h', 86_400_000],
  ['48h', 172_800_000],
  ['7d', 604_800_000],
  ['4w', 2_419_200_000],
  ['0m', undefined],
  ['90', undefined],
  ['1.5h', undefined],
  ['7 d', undefined],
])('%s is read as %s ms', (written, ms) => {
  expect(parseDuration(written)).toBe(ms);
});

test('a time limit is at most a day, and not an age', () => {
  expect(['24h', '25h', '7d', 0.5, 0].map(parseTimeout)).toEqual([
    86_400_000,
    undefined,
    undefined,
    500,
    undefined,
  ]);
});

test('what is written is read back as the same', () => {
  const timeout = fc.integer({ min: 1, max: MAX_TIMEOUT_MS });
  fc.assert(fc.property(timeout, (ms) => parseTimeout(formatTimeout(ms)) === ms));
  const minutes = fc.integer({ min: 1, max: 9_999 });
  fc.assert(fc.property(minutes, (it) => parseAge(formatAge(it * 60_000)) === it * 60_000));
});
