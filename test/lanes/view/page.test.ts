import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Line } from '../../../src/lanes/view/lines.ts';
import { renderPage } from '../../../src/lanes/view/page.ts';
import { code, cut, quotedLines } from '../../../src/text/quoting.ts';
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

const line = fc.record({
  about: fc.constantFrom('lane a: state', 'lane a: commit', 'lane b: state', 'run', 'next: status'),
  section: fc.constantFrom('questions', 'decide', 'verified', 'goal', 'decisions', 'next'),
  text: fc.string({ maxLength: 60 }),
  quote: text,
  commands: fc.array(fc.string({ maxLength: 30 }), { maxLength: 2 }),
  source: fc.constant({ event: 1 }),
  claims: fc.constant([]),
}) as fc.Arbitrary<Line>;

test('a page never exceeds its limit, and is complete without one', () => {
  const page = (lines: readonly Line[]) => ({ title: 'A', intro: 'b', lines, whole: 'lanehold …' });
  const fits = (lines: readonly Line[], most: number): boolean =>
    renderPage(page(lines), { maxChars: most, ids: 'short' }).text.length <= most;
  fc.assert(fc.property(fc.array(line), fc.integer({ min: 1, max: 3_000 }), fits));
  const leaves = (lines: readonly Line[]) => renderPage(page(lines), { ids: 'full' }).left;
  fc.assert(fc.property(fc.array(line), (lines) => leaves(lines) === 0));
});
