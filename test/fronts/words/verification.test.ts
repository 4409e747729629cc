/** Failures that several features have in common. */
import { expect, test } from 'vitest';
import { unseenLines } from '../../../src/fronts/words/verification.ts';

const FAILURE = [
  ' FAIL  src/cart/add.test.ts > adds two',
  'AssertionError: expected 2 to be 3',
  '',
  '      Tests  1 failed (1)',
  '   Duration  812ms',
];

test('the same failure is shown once, whatever time it took', () => {
  const unseen = unseenLines();
  expect(unseen(FAILURE)).toEqual(FAILURE);
  const again = FAILURE.map((it) => it.replace('812ms', '1.20s'));
  expect(unseen(again)).toEqual(['(else as the failure before)']);
  const more = FAILURE.map((it) => it.replace('1 failed (1)', '1 failed | 40 passed (41)'));
  expect(unseen(more)).toEqual([
    '      Tests  1 failed | 40 passed (41)',
    '(else as the failure before)',
  ]);
});

test('another failure of the same runner is shown whole', () => {
  const unseen = unseenLines();
  unseen(FAILURE);
  const other = [
    ' FAIL  src/mail/send.test.ts > sends',
    'AssertionError: expected 7 to be 3',
    '',
    '      Tests  1 failed (1)',
  ];
  expect(unseen(other)).toEqual(other);
  expect(unseenLines()([])).toEqual([]);
});

test('what cannot be shown as it is cannot be hidden by it', () => {
  expect(unseenLines()(['a\u001b[2Jb'])).toEqual(['a\\x1b[2Jb']);
});
