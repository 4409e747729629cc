import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffLines } from '../../../src/base/text/diff.ts';

const lines = (...them: (string | number)[]) => them.join('\n');

test('shows what changes with two lines around it', () => {
  const before = lines(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
  const after = lines(1, 2, 3, 'four', 5, 6, 7, 8, 9, 10, 11, 'new', 12);
  expect(diffLines(before, after)).toEqual([
    '  2',
    '  3',
    '- 4',
    '+ four',
    '  5',
    '  6',
    '…',
    '  10',
    '  11',
    '+ new',
    '  12',
  ]);
});

test('shows nothing where nothing changes', () => {
  expect(diffLines('a\nb', 'a\nb')).toEqual([]);
});

test('shows a file that is made or goes as a whole', () => {
  expect(diffLines('', 'a\nb')).toEqual(['-', '+ a', '+ b']);
});

test('does not show line ends', () => {
  expect(diffLines('a\r\nb\r\n', 'a\r\nc\r\n')).toEqual(['  a', '- b', '+ c', '']);
});

test('is quick on long files that have little in common', () => {
  const many = (from: number) =>
    lines(...Array.from({ length: 4_000 }, (_, index) => from + index));
  expect(diffLines(many(0), many(10_000))).toHaveLength(8_000);
});

test('turns the one text into the other', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 5 })
    .map((it) => it.join('\n'));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const shown = diffLines(before, after);
      const side = (mark: string) => shown.filter((it) => it[0] !== mark && it !== '…').length;
      const changed = (mark: string) =>
        shown.filter((it) => it[0] === mark).map((it) => it.slice(2));
      const grown = after.split('\n').length - before.split('\n').length;
      return (
        side('-') - side('+') === grown &&
        changed('-').every((it) => before.includes(it)) &&
        changed('+').every((it) => after.includes(it)) &&
        (before === after) === (shown.length === 0)
      );
    }),
  );
});
