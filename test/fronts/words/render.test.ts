import { describe, expect, test, vi } from 'vitest';
import { projectListText } from '../../../src/fronts/words/notes.ts';
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

test('the list of projects cuts a long folder in the middle, and no number', () => {
  vi.stubGlobal('process', { ...process, stdout: { columns: 80 } });
  const folder = `/home/somebody/${'work/'.repeat(12)}shop`;
  const kept = { features: 2, rules: 0, notes: 120, evidence: 1_234, runs: 1 };
  const line = projectListText({ projects: [{ folder, there: false, ...kept }], moved: null });
  vi.unstubAllGlobals();
  expect(line.length).toBeLessThanOrEqual(80);
  expect(line).toMatch(/^\/home\/.*….*shop {2}gone {2}2 features {2}120 notes\s+1,?234 records$/);
});
