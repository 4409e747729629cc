import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { globsFor } from '../../../src/features/learn/globs.ts';
import { matcher } from '../../../src/features/match.ts';

const PATHS = [
  '!f.json',
  'src/cart/a.ts',
  'src/cart/b.ts',
  'src/cart/notes.txt',
  'src/money/round.ts',
  'src/money/add.ts',
  'src/money/deep/odd [x].ts',
  'test/cart.test.ts',
  'test/money.test.ts',
  'test/help.ts',
];

const globs = (before: string[], owned: string[], commands: string[] = []) =>
  globsFor(before, new Set(owned), PATHS, commands).files;

describe('the globs of what was read', () => {
  test.each<[string, string[], string[], string[], string[]]>([
    [
      'stay as they are where they fit',
      ['src/cart/*.ts'],
      ['src/cart/a.ts', 'src/cart/b.ts'],
      [],
      ['src/cart/*.ts'],
    ],
    [
      'name a folder of which all of an ending was read',
      [],
      ['src/money/add.ts', 'src/money/round.ts'],
      [],
      ['src/money/*.ts'],
    ],
    ['name single files where some were not read', [], ['src/cart/a.ts'], [], ['src/cart/a.ts']],
    [
      'escape what means something in a glob',
      [],
      ['src/money/deep/odd [x].ts'],
      [],
      ['src/money/deep/odd \\[x\\].ts'],
    ],
    ['escape a mark that would exclude', [], ['!f.json'], [], ['\\!f.json']],
    [
      'tell tests from other files',
      [],
      ['test/cart.test.ts', 'test/money.test.ts'],
      [],
      ['test/*.test.ts'],
    ],
    [
      'take no folder by the example of test files that a command names',
      [],
      ['test/cart.test.ts', 'test/money.test.ts'],
      ['vitest run test/cart.test.ts test/money.test.ts'],
      ['test/cart.test.ts', 'test/money.test.ts'],
    ],
    [
      'exclude what went elsewhere',
      ['src/cart/**'],
      ['src/cart/a.ts', 'src/cart/notes.txt'],
      [],
      ['src/cart/**', '!src/cart/b.ts'],
    ],
    [
      'list what is left of a folder that went elsewhere',
      ['src/cart/**'],
      ['src/cart/a.ts'],
      [],
      ['src/cart/a.ts'],
    ],
    [
      'open an exclusion that keeps out what was read',
      ['src/**', '!src/money/**'],
      ['src/cart/a.ts', 'src/cart/b.ts', 'src/cart/notes.txt', 'src/money/add.ts'],
      [],
      ['src/**', '!src/money/deep/odd \\[x\\].ts', '!src/money/round.ts'],
    ],
  ])('%s', (_, before, owned, commands, expected) => {
    expect(globs(before, owned, commands)).toEqual(expected);
  });

  test('are at most 30, by going up a folder, which is said', () => {
    const paths = Array.from({ length: 200 }, (_, at) => `lib/part${at % 40}/file${at}.ts`);
    const owned = new Set(paths.filter((_, at) => at % 3 === 0));
    const { files, wide } = globsFor(['src/own/**'], owned, paths, []);
    expect(files.length).toBeLessThanOrEqual(30);
    expect(files).toContain('src/own/**');
    expect(wide).not.toEqual([]);
    expect(paths.filter((it) => owned.has(it) && !matcher(files).matches(it))).toEqual([]);
  });

  test('never lack a file, and have no other while there are few lines', () => {
    const before = fc.subarray([
      'src/**',
      'src/cart/*.ts',
      '!src/money/**',
      '!**/*.txt',
      'test/**',
      'gone/**',
    ]);
    fc.assert(
      fc.property(before, fc.subarray(PATHS), (present, owned) => {
        const { matches } = matcher(globs(present, owned));
        return PATHS.every((path) => matches(path) === owned.includes(path));
      }),
    );
  });
});
