/** Pauses in long work: a process that answers several events must not stop for one of them. */

/** The time for which others may have to wait. */
const LONGEST_MS = 15;

/** @returns a function to call and await between parts of the work: it gives others their turn when that is due. */
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

/** The results in the order of the items, which are handled one after the other. */
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
