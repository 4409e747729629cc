/**
 * Gives back what tests have left in memory, before it is much: at each start of a program the system copies
 * the memory map of the process that starts it, and a suite starts tens of thousands.
 */
import { afterEach } from 'vitest';

const MORE_BYTES = 60e6;
/** Of a worker that has loaded what most tests need. */
let kept = 110e6;

afterEach(() => {
  if (process.memoryUsage.rss() - kept < MORE_BYTES) return;
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  kept = process.memoryUsage.rss();
});
