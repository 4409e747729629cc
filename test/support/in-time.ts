/** The shortest is enough on an idle machine. */
const TIMES_MS = [300, 3_000, 30_000];

/**
 * Tries with longer and longer time limits until a program has come as far as the test needs before
 * its limit ended it, so that the test does not depend on the speed of the machine.
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
