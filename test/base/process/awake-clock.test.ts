import { expect, test } from 'vitest';
import { awakeClock } from '../../../src/base/process/awake-clock.ts';

test('a gap counts for as long as the caller lets one be', () => {
  const clock = awakeClock(1_000);
  const begun = clock();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_300);
  expect(clock() - begun).toBe(1_000);
});
