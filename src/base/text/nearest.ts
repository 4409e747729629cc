/** Longer words are not compared, because the time grows with the product of the lengths. */
const MAX_LENGTH = 64;

/**
 * Returns the candidate that `word` was probably meant to be, or `undefined` when none is close: at
 * most one slip per three letters, where a slip is a letter added, missing, wrong, or swapped with
 * its neighbour. Case does not matter. Of equally near candidates, the first is returned.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let fewest = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const slips = distance(word.toLowerCase(), candidate.toLowerCase(), fewest);
    if (slips < fewest) {
      fewest = slips;
      best = candidate;
    }
  }
  return best;
}

/** Optimal string alignment distance, or `limit` once it cannot be smaller. */
function distance(a: string, b: string, limit: number): number {
  if (a === b) return 0;
  const [shorter, longer] = a.length < b.length ? [a.length, b.length] : [b.length, a.length];
  if (longer > MAX_LENGTH || longer - shorter >= limit) return limit;

  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const wrong = a[row - 1] === b[column - 1] ? 0 : 1;
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + wrong,
        swapped && row > 1 && column > 1 ? at(beforeLast, column - 2) + 1 : limit,
      );
    }
    beforeLast = last;
    last = current;
  }
  return Math.min(at(last, b.length), limit);
}

const at = (row: readonly number[], column: number): number =>
  row[column] ?? Number.POSITIVE_INFINITY;
