import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matcher } from '../../../src/features/match.ts';
import { outsideTouches, touchesOverlap } from '../../../src/lanes/spec/touches.ts';

test.each<[readonly string[], readonly string[]]>([
  [['src/api/**'], ['src/web/**']],
  [['src/api/**'], ['src/apis/**']],
  [['src/*.ts'], ['src/*.js']],
  [['src/*.ts'], ['src/deep/a.ts']],
  [['docs/'], ['src/']],
  [['src/{api,db}/**'], ['src/{web,cli}/**']],
  [['a?.ts'], ['a.ts']],
  [['src/**', '!src/api/**'], ['src/api/**']],
  [['src/**', '!src/api/'], ['src/api/deep/*.ts']],
  [[], ['**']],
  [['!src/**'], ['**']],
  [['packages/@scope/a/**'], ['packages/@scope/b/**']],
])('%j and %j have nothing in common', (a, b) => {
  expect(touchesOverlap(a, b)).toBe(false);
  expect(touchesOverlap(b, a)).toBe(false);
});

test.each<[readonly string[], readonly string[]]>([
  [['**'], ['a']],
  [['src/**'], ['src/api/**']],
  [['src/**'], ['src']],
  [['**/*.test.ts'], ['src/api/**']],
  [['src/*.ts'], ['src/a*']],
  [['src/[a-c]*'], ['src/b.ts']],
  [
    ['a', 'b', 'c'],
    ['x', 'c'],
  ],
  [['SRC/a.ts'], ['src/A.ts']],
  [['src/+(a|b).ts'], ['src/zzz.ts']],
  [['src/**', '!src/api/*.ts'], ['src/api/**']],
  [['žluť/**'], ['ž*/x']],
  [['src/"api"/**'], ['src/api/x']],
  [['src/{1..3}.ts'], ['src/2.ts']],
  [['a/**/b/**/c'], ['a/**/c']],
])('%j and %j may overlap', (a, b) => {
  expect(touchesOverlap(a, b)).toBe(true);
  expect(touchesOverlap(b, a)).toBe(true);
});

const name = fc.string({
  unit: fc.constantFrom('a', 'b', '.', '-', 'é', 'A'),
  minLength: 1,
  maxLength: 4,
});
const path = fc
  .array(name, { minLength: 1, maxLength: 4 })
  .map((names) => names.join('/'))
  .filter((it) => !/(^|\/)\.{1,2}(\/|$)/.test(it));

/** A glob that probably matches the path: some characters are replaced by wider patterns. */
const globFor = (text: string) =>
  fc
    .tuple(
      fc.array(
        fc.constantFrom(
          'keep',
          'keep',
          'keep',
          '?',
          '*',
          '[ab]',
          '[!x]',
          '{}',
          '\\',
          '+',
          '(|)',
          '"',
          '',
        ),
        {
          minLength: text.length,
          maxLength: text.length,
        },
      ),
      fc.constantFrom('', '', '/**', '/*', '/', '*', '**', '{/**,}', '{,/*}', '.*'),
      fc.constantFrom('', '', '', '../worktree', '**/', '*/', '{**/,}'),
      fc.nat(4),
    )
    .map(([changes, tail, head, cut]) => {
      const parts = text.split('/');
      const kept = parts.slice(0, Math.max(1, parts.length - cut)).join('/');
      const middle = [...kept].map((it, at) => changed(it, changes[at] ?? 'keep')).join('');
      return head + middle + tail;
    });

function changed(character: string, how: string): string {
  if (how === 'keep' || character === '/') return how === '*' ? '/**/' : character;
  switch (how) {
    case '{}':
      return `{${character},x/y}`;
    case '(|)':
      return `@(${character}|c)`;
    case '+':
      return `${character}+`;
    case '"':
      return `"${character}"`;
    case '\\':
      return `\\${character}`;
    default:
      return how;
  }
}

const anyGlob = fc.string({
  unit: fc.constantFrom(
    'a',
    'b',
    '/',
    '*',
    '**',
    '?',
    '[',
    ']',
    '{',
    '}',
    ',',
    '.',
    '!',
    '\\',
    '(',
    ')',
    '|',
    '"',
    '+',
    '-',
    'é',
  ),
  maxLength: 8,
});

const lists = path.chain((it) => {
  const glob = fc.oneof({ weight: 5, arbitrary: globFor(it) }, { weight: 1, arbitrary: anyGlob });
  const excluded = fc.oneof(
    globFor(it).map((text) => `!${text}`),
    fc.constant(`!${it.split('/')[0]}/**`),
  );
  const list = fc
    .tuple(fc.array(glob, { minLength: 1, maxLength: 2 }), fc.array(excluded, { maxLength: 1 }))
    .map(([some, without]) => [...some, ...without].filter((it) => it !== '' && it !== '!'));
  return fc.tuple(fc.constant(it), list, list);
});

test('two globs that match one path overlap', () => {
  fc.assert(
    fc.property(lists, ([it, a, b]) => {
      fc.pre(matcher(a).matches(it) && matcher(b).matches(it));
      return touchesOverlap(a, b) && touchesOverlap(b, a);
    }),
    // One sample in forty has a path that both match.
    { numRuns: 101, maxSkipsPerRun: 1_000 },
  );
});

test('many stars are decided quickly', () => {
  const stars = `${'*a'.repeat(40)}/${'**/'.repeat(40)}x`;
  expect(touchesOverlap([stars], [`${'a*'.repeat(40)}b`])).toBe(false);
});

test('too many braces may overlap with anything', () => {
  expect(touchesOverlap(['{a,b}'.repeat(20)], ['z'])).toBe(true);
});

test('outsideTouches returns paths that no glob allows', () => {
  const touches = ['src/api/**', '!src/api/secret.ts', 'docs/'];
  const paths = [
    'src/api/a.ts',
    'src/api/.hidden',
    'src/api/secret.ts',
    'docs/x\ny.md',
    'README.md',
  ];
  expect(outsideTouches(paths, touches)).toEqual(['src/api/secret.ts', 'README.md']);
  expect(outsideTouches(paths, [])).toEqual(paths);
});
