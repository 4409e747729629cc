import { expect, test } from 'vitest';
import { nearest } from '../../../src/base/text/nearest.ts';

const keys = ['files', 'smoke', 'dependsOn', 'description'];

test.each([
  ['smokes', 'smoke'],
  ['file', 'files'],
  ['fiels', 'files'],
  ['dependson', 'dependsOn'],
  ['depends_on', 'dependsOn'],
  ['SMOKE', 'smoke'],
  ['smoke', 'smoke'],
])('takes %s for %s', (word, meant) => {
  expect(nearest(word, keys)).toBe(meant);
});

test.each(['tests', 'x', '', 'description of the feature'])('has no idea what %j is', (word) => {
  expect(nearest(word, keys)).toBeUndefined();
});

test('prefers the nearer candidate, and the first of equals', () => {
  expect(nearest('card', ['carts', 'cart'])).toBe('cart');
  expect(nearest('cat', ['cart', 'cast'])).toBe('cart');
});

test('does not compare very long words', () => {
  const long = 'a'.repeat(1_000_000);
  expect(nearest(long, [`${long}b`, 'a'])).toBeUndefined();
});
