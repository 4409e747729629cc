/**
 * Pauses in long work: a process that answers several events must not stand still for one of them.
 */

/** Others wait for about this long. */
const LONGEST_MS = 15;

/** @returns to be awaited between parts of the work; it lets others have their turn where that is due. */
export function turns(): () => Promise<void> | undefined {
  let since = Date.now();
  return () => {
    if (Math.abs(Date.now() - since) < LONGEST_MS) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        since = Date.now();
        resolve();
      });
    });
  };
}

/** The results in order; one item after the other. */
export async function mapInTurns<T, Result>(
  items: Iterable<T>,
  work: (item: T, at: number) => Result | Promise<Result>,
): Promise<Result[]> {
  const turn = turns();
  const results: Result[] = [];
  for (const item of items) {
    results.push(await work(item, results.length));
    await turn();
  }
  return results;
}
