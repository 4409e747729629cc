/**
 * Counts the milliseconds in which this process was awake: the time in which it could not watch a program does not
 * count against the program.
 *
 * @param mostGapMs the longest gap between two calls; in a longer one the machine slept, or the process was stopped.
 */
export function awakeClock(mostGapMs: number): () => number {
  let counted = 0;
  let last = performance.now();
  return () => {
    const now = performance.now();
    counted += Math.min(now - last, mostGapMs);
    last = now;
    return counted;
  };
}
