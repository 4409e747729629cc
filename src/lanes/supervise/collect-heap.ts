/** Gives back what earlier steps have left: a heap this small is not cleared for hours by itself. */

const EVERY_MS = 60_000;

/** Measured: one megabyte less after the start of a worker; later on, what piles up in the meantime. */
export function heapCollector(): { poll(): void } {
  let due = 0;
  return {
    poll(): void {
      if (performance.now() < due) return;
      due = performance.now() + EVERY_MS;
      // Only there if Node was started with `--expose-gc`.
      globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    },
  };
}
