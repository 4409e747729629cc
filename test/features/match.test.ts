import fc from 'fast-check';
import picomatch from 'picomatch';
import { expect, test } from 'vitest';
import { isWithin } from '../../src/base/git/tree-entry.ts';
import { matcher, outermost } from '../../src/features/match.ts';
import { pathIndex } from '../../src/features/path-index.ts';

const name = fc.constantFrom('a', 'b', 'a-b', 'a.ts', 'b.ts', '.env', 'a0');
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const part = fc.constantFrom('a', 'b', 'a-b', '*', '**', '*.ts', '{a,b}', 'a?', '[ab]', '.env');
const glob = fc
  .tuple(
    fc.constantFrom('', '', '', '!'),
    fc.array(part, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '/'),
  )
  .map(([not, parts, end]) => `${not}${parts.join('/')}${end}`);

test('however many patterns there are, they match what picomatch says they match', () => {
  fc.assert(
    fc.property(
      fc.array(glob, { maxLength: 6 }),
      fc.array(path, { maxLength: 12 }),
      (globs, paths) => {
        const whole = globs.map((it) => (it.endsWith('/') ? `${it}**` : it));
        const include = whole.filter((it) => !it.startsWith('!'));
        const ignore = whole.filter((it) => it.startsWith('!')).map((it) => it.slice(1));
        const expected = picomatch(include, { dot: true, ignore, flags: 's' });
        const { matches, bases } = matcher(globs);
        const isNear = (it: string) => bases.some((base) => isWithin(base, it));
        expect(paths.filter(matches)).toEqual(paths.filter((it) => isNear(it) && expected(it)));
      },
    ),
    { numRuns: 500 },
  );
});

test('folders of which everything matches are known as whole', () => {
  expect(matcher(['src/**', 'lib/', 'lib/a/**', 'docs/*.md']).whole).toEqual(['lib', 'src']);
  expect(matcher(['src/**', '!src/**/*.md']).whole).toEqual([]);
});

test('what is below some folders is found, and nothing else', () => {
  fc.assert(
    fc.property(
      fc.array(path, { maxLength: 30 }),
      fc.array(path, { maxLength: 4 }),
      (paths, folders) => {
        const bases = outermost(folders);
        const found = pathIndex(paths, (it) => it).within(bases);
        const expected = paths.filter((it) => folders.some((base) => isWithin(base, it)));
        expect(found.toSorted()).toEqual(expected.sort());
      },
    ),
  );
});
