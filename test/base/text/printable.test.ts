import { expect, test } from 'vitest';
import { printable, printableLine } from '../../../src/base/text/printable.ts';

test.each([
  ['plain\n\ttext', 'plain\n\ttext'],
  ['\u001b]0;title\u0007', '\\x1b]0;title\\x07'],
  ['a\rb\u009b', 'a\\rb\\x9b'],
  ['user\u202Egpj.exe', 'user\\u202egpj.exe'],
  ['a\u200bb\u00adc\u200d', 'a\\u200bb\\xadc\\u200d'],
  ['\u{1f468}\u200d\u{1f4bb}', '\u{1f468}\u200d\u{1f4bb}'],
  ['\u001b[31mred\u001b[0m', 'red'],
])('printable(%j)', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test.each([
  ['plain text, ä 支', 'plain text, ä 支'],
  ['a\nb\tc\r', 'a\\nb\\tc\\r'],
  ['a\u2028b', 'a\\u2028b'],
  ['\u001b[1;31mred\u001b[0m', 'red'],
  ['\u{1f468}\u200d\u{1f4bb}', '\u{1f468}\u200d\u{1f4bb}'],
  ['zero\u200bwidth', 'zero\\u200bwidth'],
  ['hidden\u{e0041}', 'hidden\\u{e0041}'],
])('printableLine(%j)', (text, shown) => {
  expect(printableLine(text)).toBe(shown);
});

test('printableLine keeps both ends of what is too long', () => {
  expect(printableLine('src/checkout/a-very-long-name.ts', 11)).toBe('src/c…me.ts');
});

test('printableLine cuts no character in two', () => {
  expect(printableLine('\u{1f409}'.repeat(9), 10)).toBe('\u{1f409}\u{1f409}…\u{1f409}\u{1f409}');
});
