import { describe, expect, test } from 'vitest';
import { fitted } from '../../../src/fronts/words/fit.ts';
import { renderTable } from '../../../src/fronts/words/table.ts';

describe('fitted', () => {
  test.each([
    ['what fits stays as it is', 'a  b', 'a  b'],
    [
      'a sentence is broken at spaces',
      'Not verified: the tests of two features have failed',
      'Not verified: the tests of two\n  features have failed',
    ],
    [
      'a command in backticks is not broken where it fits into a line',
      'hint: to see them run `lanehold feature list` here',
      'hint: to see them run\n  `lanehold feature list` here',
    ],
    [
      'a command after a colon goes to its own line',
      'Verify: lanehold feature verify cart',
      'Verify:\n  lanehold feature verify cart',
    ],
    [
      'a longer command is one that a shell joins, what belongs together stays together',
      "Agree: lanehold feature waive cart --reason 'we are closed' --expires 2h",
      "Agree:\n  lanehold feature waive cart \\\n    --reason 'we are closed' \\\n    --expires 2h",
    ],
    [
      'what a denial says first is no command',
      'lanehold holds `git push`: one feature is not verified',
      'lanehold holds `git push`: one\n  feature is not verified',
    ],
    [
      'a word that is too long stays whole',
      '- packages/customer-facing-checkout/src/index.js: failed',
      '- packages/customer-facing-checkout/src/index.js:\n  failed',
    ],
    [
      'the text beside a label stays beside it',
      'smoke test   npm test -- cart checkout',
      'smoke test   npm test -- cart\n             checkout',
    ],
    [
      'a command beside a label, too',
      "Commit    git add one.json && git commit -m 'Add one file'",
      "Commit    git add one.json && \\\n            git commit \\\n            -m 'Add one file'",
    ],
    [
      'what is quoted, but no command, is broken like a sentence',
      'expected `one two three four five six seven`',
      'expected\n  `one two three four five six\n    seven`',
    ],
    [
      'colours take no columns',
      '\u001b[31merror:\u001b[39m this sentence fits in',
      '\u001b[31merror:\u001b[39m this sentence fits in',
    ],
  ])('%s', (_, text, shown) => {
    expect(fitted(text, 32)).toBe(shown);
    expect(fitted(text, undefined)).toBe(text);
  });
});

test('a table gives way in its last column first, then in the middle of its longest names', () => {
  const rows = [
    ['customer-facing-checkout', 'verified', 'npm test -- customer-facing-checkout'],
    ['cart', 'failed', 'true'],
  ];
  expect(renderTable(rows, 60)).toBe(
    'customer-facing-checkout  verified  npm test -- customer-fa…\ncart                      failed    true',
  );
  expect(renderTable(rows, 44)).toBe(
    'customer…heckout  verified  npm test -- cus…\ncart              failed    true',
  );
});
