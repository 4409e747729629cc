/** Gives back what earlier steps have left: a heap this small is not cleared for hours by itself. */

const EVERY_MS = 60_000;

/** A collection takes some ten milliseconds, and returns one to three megabytes after the start of a worker. */
export function thrift(): { poll(): void } {
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
