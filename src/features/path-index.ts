/** Paths by folder: those of one folder are found without reading the others. Pure. */

export interface PathIndex<T> {
  /**
   * The items in some folders, or of some files, sorted by path.
   *
   * @param bases `''` is the root; none inside another.
   */
  within(bases: readonly string[]): readonly T[];
}

export function pathIndex<T>(items: readonly T[], pathOf: (item: T) => string): PathIndex<T> {
  const sorted = items.toSorted((a, b) => compare(pathOf(a), pathOf(b)));
  /** Index of the first item whose path does not come before this text. */
  const first = (text: string): number => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (pathOf(sorted[middle] as T) < text) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    within: (bases) =>
      bases.includes('')
        ? sorted
        : // `0` is the character after `/`; `a-b` stands between the file `a` and what is in `a/`.
          bases.flatMap((base) => [
            ...sorted.slice(first(base), first(`${base}\0`)),
            ...sorted.slice(first(`${base}/`), first(`${base}0`)),
          ]),
  };
}

// Most lists are sorted already, and a sort asks about a later item first.
const compare = (a: string, b: string): number => (a > b ? 1 : a < b ? -1 : 0);
