import fc from 'fast-check';
import { test } from 'vitest';
import type { Line } from '../../../src/lanes/look/lines.ts';
import { renderPage } from '../../../src/lanes/look/page.ts';
import { anyText } from '../../support/any-text.ts';

const text = fc.oneof(
  anyText(),
  fc.string({
    unit: fc.constantFrom('`', '\n', '\r', '|', '#', '>', ' ', '\u2028', 'a', '\u{1f409}'),
  }),
);

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
