/** A short form of `npm run fuzz:hooks`. */
import { expect, test } from 'vitest';
import { fuzz } from './fuzz.ts';

test.each([1, 2])(
  'whatever happens between events of seed %i, both ways do the same',
  async (seed) => {
    expect(await fuzz(seed, 30)).toMatchObject({ seed, differences: [], left: 0 });
  },
  180_000,
);
