import fc from 'fast-check';
import { expect, test } from 'vitest';
import { code, cut, quotedLines } from '../../../src/base/text/quoting.ts';
import { anyText } from '../../support/any-text.ts';

const text = fc.oneof(
  anyText(),
  fc.string({
    unit: fc.constantFrom('`', '\n', '\r', '|', '#', '>', ' ', '\u2028', 'a', '\u{1f409}'),
  }),
);

test('every line of a quote is marked, for all kinds of line ends', () => {
  const isQuoted = (it: string) =>
    quotedLines(it)
      .split(/[\n\r\v\f\u0085\u2028\u2029]/)
      .every((line) => line.startsWith('>'));
  fc.assert(fc.property(text, isQuoted));
});

test('inline code stays on one line, and its text cannot close it', () => {
  const holds = (it: string): boolean => {
    const shown = code(it);
    const fence = /^`+/.exec(shown)?.[0] ?? '';
    const inner = shown.slice(fence.length, shown.length - fence.length);
    const runs: readonly string[] = inner.match(/`+/g) ?? [];
    return !/[\n\r\u2028]/.test(shown) && shown.endsWith(fence) && !runs.includes(fence);
  };
  fc.assert(fc.property(text, holds));
});

test('the cut part is counted, and no character is split', () => {
  expect(quotedLines('abcdef', 4)).toBe('> abcd\n> … (2 more characters)');
  expect(cut('a\u{1f409}', 2)).toBe('a');
});
