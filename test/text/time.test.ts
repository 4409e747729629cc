import { expect, test } from 'vitest';
import { age, duration } from '../../src/text/time.ts';

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
