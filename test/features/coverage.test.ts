import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Feature } from '../../src/base/config/feature.ts';
import { coverage, matcher } from '../../src/features/match.ts';
import { cpuMs } from '../support/cpu-time.ts';

const feature = (name: string, ...files: string[]): Feature => ({
  name,
  files,
  smoke: [],
  dependsOn: [],
  description: '',
});

test('says what belongs to a feature, what to none, and which patterns are dead', () => {
  const paths = [
    'src/cart/a.ts',
    'src/cart/.hidden',
    'src/cart/README.md',
    'src/cart-old/b.ts',
    'package.json',
  ];
  const features = [
    feature('cart', 'src/cart/**', '!**/*.md', '!nothing/**'),
    feature('code', '**/*.ts', 'src/gone/**'),
    feature('docs', 'src/cart/*.md'),
  ];
  expect(coverage(features, [...paths, ...paths])).toEqual({
    covered: 4,
    uncovered: ['package.json'],
    byFeature: [
      { name: 'cart', files: 2 },
      { name: 'code', files: 2 },
      { name: 'docs', files: 1 },
    ],
    unmatched: [{ feature: 'code', pattern: 'src/gone/**' }],
  });
});

test('a pattern that only matches what its feature excludes is dead', () => {
  expect(coverage([feature('a', 'a/**', 'b/**', '!b')], ['a/1', 'b']).unmatched).toEqual([
    { feature: 'a', pattern: 'b/**' },
  ]);
});

test('nothing is covered without features, and nothing uncovered without paths', () => {
  expect(coverage([], ['b', 'a'])).toMatchObject({ covered: 0, uncovered: ['a', 'b'] });
  expect(coverage([feature('a', 'a')], [])).toMatchObject({ covered: 0, uncovered: [] });
});

test('finds what trying every pattern on every path finds', () => {
  const step = fc.constantFrom('a', 'b', 'a-b', 'a.b', 'A', 'ä', '!', '[x]', '0');
  const path = fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => steps.join('/'));
  const pattern = fc.oneof(
    path.map((it) => it.replace(/[[\]!]/g, '\\$&')),
    path.map((it) => `${it.replace(/[[\]!]/g, '\\$&')}/**`),
    fc.constantFrom('**', '*', '**/a', 'a*/**', '{a,b}/**', '[ab]/*', 'a/', '!a/**', '!**/b'),
  );
  const features = fc.array(fc.array(pattern, { minLength: 1, maxLength: 3 }), { maxLength: 4 });
  fc.assert(
    fc.property(features, fc.uniqueArray(path, { maxLength: 30 }), (lists, paths) => {
      const matchers = lists.map((files) => matcher(['never', ...files]));
      const expected = paths.filter((it) => !matchers.some(({ matches }) => matches(it)));
      const named = lists.map((files, index) => feature(`f${index}`, 'never', ...files));
      const { uncovered, byFeature } = coverage(named, paths);
      const counts = matchers.map(({ matches }) => paths.filter((it) => matches(it)).length);
      return (
        JSON.stringify(uncovered) === JSON.stringify(expected.sort()) &&
        JSON.stringify(byFeature.map(({ files }) => files)) === JSON.stringify(counts)
      );
    }),
    { numRuns: 500 },
  );
});

test('100,000 paths and 500 features do not cost their product', () => {
  const paths = Array.from(
    { length: 100_000 },
    (_, index) => `src/f${index % 500}/d${index % 7}/file${index}.ts`,
  );
  const features = Array.from({ length: 500 }, (_, index) =>
    feature(`f${index}`, `src/f${index}/**`, '!**/*.md'),
  );
  const cost = cpuMs(() =>
    expect(coverage(features, paths)).toMatchObject({ covered: 100_000, unmatched: [] }),
  );
  // Trying each of the 500 on each path costs more than ten times as much.
  expect(cost).toBeLessThan(5000);
});
