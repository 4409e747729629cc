/**
 * Makes names of failed tests comparable: the baseline ran in another folder, at another time, on files with other line
 * numbers. Removes only what differs between two runs of one test, so that two tests never get the same name.
 */

/** The levels of a test's name, outermost first, joined in the common form. */
export function joined(...levels: readonly string[]): string {
  return levels.filter((level) => level !== '').join(' > ');
}

const DURATION = /\s*[([]\s*\d+(?:\.\d+)?\s*(?:ms|s|sec|seconds|m|min)\s*[)\]]$/;
/** `cart.test.ts:12:5`, `cart_test.py:12`, but not `10:30`. */
const LINE = /(\.[A-Za-z]\w{0,9}):\d+(?::\d+)?(?!\d)/g;
const ADDRESS = /\b0x[0-9a-f]{6,16}\b/gi;
const TEMPORARY = /(?:\/private)?\/(?:tmp|var\/folders\/\w+\/\w+\/T)\/[\w.-]+/g;

/** @param roots folders in which the tests ran; paths below them become relative. */
export function comparableNames(names: readonly string[], roots: readonly string[]): string[] {
  const longestFirst = roots.filter((it) => it.length > 1).toSorted((a, b) => b.length - a.length);
  const seen = new Map<string, number>();
  return names.map((name) => {
    const comparable = withoutVolatileParts(name, longestFirst);
    const times = (seen.get(comparable) ?? 0) + 1;
    seen.set(comparable, times);
    // Two tests may have one name: one more of them is one more failure.
    return times === 1 ? comparable : `${comparable} (${times})`;
  });
}

function withoutVolatileParts(name: string, roots: readonly string[]): string {
  let result = name.replaceAll('file://', '');
  for (const root of roots) result = result.replaceAll(`${root}/`, '').replaceAll(root, '.');
  return result
    .replaceAll(TEMPORARY, '/tmp')
    .replaceAll(LINE, '$1')
    .replaceAll(ADDRESS, '0x…')
    .replace(DURATION, '')
    .trim();
}
