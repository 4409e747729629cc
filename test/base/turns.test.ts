import { expect, test } from 'vitest';
import { mapInTurns } from '../../src/base/turns.ts';

test('other work has its turn between items that take long, and the results are in order', async () => {
  let turns = 0;
  const counting = setInterval(() => {
    turns += 1;
  }, 1);
  const results = await mapInTurns([3, 1, 2], (item, at) => {
    for (const end = performance.now() + 30; performance.now() < end; );
    return `${at}:${item}`;
  });
  clearInterval(counting);
  expect(results).toEqual(['0:3', '1:1', '2:2']);
  expect(turns).toBeGreaterThanOrEqual(2);
});

test('what the work throws ends it', async () => {
  const done: number[] = [];
  const working = mapInTurns([1, 2, 3], async (item) => {
    if (item === 2) throw new Error('no');
    done.push(item);
  });
  await expect(working).rejects.toThrow('no');
  expect(done).toEqual([1]);
});
