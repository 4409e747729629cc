/** The shortest does on a machine that has nothing else to do. */
const TIMES_MS = [300, 3_000, 30_000];

/**
 * Tries with ever more time until what is to run out of it has come as far as the test wants it: quick
 * where that is possible, and no test of how fast a machine is.
 */
export async function inTime<T>(
  attempt: (timeMs: number) => Promise<T | false>,
  timesMs: readonly number[] = TIMES_MS,
): Promise<T> {
  for (const timeMs of timesMs) {
    const found = await attempt(timeMs);
    if (found !== false) return found;
  }
  throw new Error(`not far enough in ${timesMs.at(-1)} ms`);
}
