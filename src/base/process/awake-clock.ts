/**
 * Milliseconds in which this process was awake: what it could not watch does not count against a program.
 *
 * @param mostGapMs between two calls, as the caller makes them: in a longer one the machine slept, or the process
 *   was stopped.
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
