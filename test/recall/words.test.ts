import { expect, test } from 'vitest';
import { queryOf } from '../../src/recall/query.ts';
import { wordsOf } from '../../src/recall/words.ts';

/** What is asked, what was written: both have a word in common. */
test.each<[string, string, string]>([
  ['a compound name by a part', 'the foo bar hook', 'useFooBar'],
  ['a part by the compound name', 'useFooBar', 'the hook for foo'],
  ['one spelling by another', 'use_foo_bar', 'useFooBar'],
  ['an acronym in a name', 'http server', 'HTTPServer2'],
  ['a file by its name', 'token.ts', 'src/auth/token.ts'],
  ['a file with a name of two letters', 'ls: rename the option', 'src/ls.c'],
  ['a plural', 'queries', 'one query'],
  ['a verb by its noun', 'expires', 'expiry'],
  ['Chinese by two of its characters', '据库', '数据库迁移'],
  ['Japanese', 'メモリ', 'メモリリークの修正'],
  ['Korean', '데이터', '데이터베이스'],
  ['German by a word form', 'Datenübertragungen', 'Datenübertragung'],
  ['Russian by a word form', 'миграции', 'миграция'],
  ['accents however they are encoded', 'café'.normalize('NFD'), 'café'.normalize('NFC')],
  ['a pictogram', '🚀', 'deploy 🚀 fails'],
])('finds %s', (_, asked, written) => {
  const words = new Set(wordsOf(written));
  expect(queryOf(asked).terms.filter((it) => words.has(it))).not.toEqual([]);
});

test.each<[string, string]>([
  ['small talk', 'yes please, do it again'],
  ['common words in all their forms', 'they were using any of his changes before, because of this'],
  ['what is left of short forms', "we've, you'll, they're"],
  ['what is private', '<private>the launch code</private>'],
  ['what a program said', '<system-reminder>token expiry</system-reminder>'],
  ['an address', 'https://example.org/some/long/path'],
  ['bare numbers', '1 22 3'],
  ['a digest', 'a'.repeat(65)],
])('does not search for %s', (_, prompt) => {
  expect(queryOf(prompt).terms).toEqual([]);
});

test('of a pasted log the lines that name an error or a place', () => {
  const noise = Array.from({ length: 100 }, (_, at) => `starting worker ${at} quickly`).join('\n');
  const { terms } = queryOf(`why?\n\`\`\`\n${noise}\nTypeError: cannot read ledger\n\`\`\``);
  expect(terms).toContain('ledger');
  expect(terms).not.toContain('quickli');
});
