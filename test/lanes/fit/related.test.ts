import fc from 'fast-check';
import { expect, test } from 'vitest';
import { namesOf, related, type Side } from '../../../src/lanes/fit/related.ts';

const side = (changed: readonly string[], more: Partial<Side> = {}): Side => ({
  changed,
  mentions: [],
  reads: [],
  ...more,
});

test.each([
  ['the same file', side(['a.txt']), side(['a.txt'])],
  ['the same folder', side(['src/api/a.ts']), side(['src/api/b.ts'])],
  ['a name', side(['src/area.mjs']), side(['lib/user.mjs'], { mentions: ['area'] })],
  ['a name with its ending', side(['src/area.mjs']), side(['x.md'], { mentions: ['area.mjs'] })],
  ['what it reads', side(['src/area.mjs']), side(['docs/x.md'], { reads: ['src/**'] })],
])('related by %s, whichever comes first', (_, a, b) => {
  expect([related(a, b), related(b, a)]).toEqual([true, true]);
});

test.each([
  ['different folders', side(['src/api/a.ts']), side(['src/ui/b.ts'])],
  ['the root alone', side(['README.md']), side(['LICENSE'])],
  ['a name of something else', side(['src/area.mjs']), side(['x/y.md'], { mentions: ['areas'] })],
  ['reads elsewhere', side(['src/area.mjs']), side(['docs/x.md'], { reads: ['lib/**'] })],
  ['nothing changed', side([]), side(['src/a.ts'], { reads: ['**'] })],
])('not related by %s', (_, a, b) => {
  expect([related(a, b), related(b, a)]).toEqual([false, false]);
});

test('files are referred to by name, entry files by their folder, short names not at all', () => {
  expect(namesOf(['src/area.test.ts', 'src/shop/index.ts', 'a/b.c', '.env'])).toEqual([
    'area.test.ts',
    'area',
    'shop',
    'b.c',
    '.env',
  ]);
});

test('is symmetric', () => {
  const path = fc.constantFrom('a.ts', 'x/a.ts', 'x/b.ts', 'y/area.ts', 'y/index.ts', 'z/c.md');
  const any = fc.record({
    changed: fc.array(path),
    mentions: fc.array(fc.constantFrom('a', 'area', 'y', 'c.md')),
    reads: fc.array(fc.constantFrom('x/**', 'y/*.ts', '**')),
  });
  fc.assert(fc.property(any, any, (a, b) => related(a, b) === related(b, a)));
});
