import { describe, expect, test } from 'vitest';
import { renderTable } from '../../../src/fronts/words/table.ts';

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
