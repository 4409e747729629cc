/** Which paths belong to a feature, which to none, and which patterns match nothing. Pure. */
import type { Feature } from '../config/feature.ts';
import { isWithin } from '../git/tree-entry.ts';
import { matcher } from './match.ts';

export interface Coverage {
  /** How many paths belong to at least one feature. */
  readonly covered: number;
  /** Paths that belong to none, sorted. */
  readonly uncovered: string[];
  /** How many paths each feature matches, in the order of the features. */
  readonly byFeature: { readonly name: string; readonly files: number }[];
  /** Patterns that match no path; excluding ones (`!`) are not listed. */
  readonly unmatched: { readonly feature: string; readonly pattern: string }[];
}

/**
 * Compares features with paths relative to the root. A pattern is only tried on the paths below its
 * base folder: the time must not grow with features times files.
 */
export function coverage(features: readonly Feature[], paths: readonly string[]): Coverage {
  const sorted = [...new Set(paths)].sort(byFolder);
  const covered = new Uint8Array(sorted.length);
  const byFeature: { name: string; files: number }[] = [];
  const unmatched: { feature: string; pattern: string }[] = [];

  for (const { name, files } of features) {
    const excludes = files.filter((pattern) => pattern.startsWith('!'));
    const own = new Set<number>();
    for (const pattern of files) {
      if (pattern.startsWith('!')) continue;
      const matched = matchedBy([pattern, ...excludes], sorted);
      if (matched.length === 0) unmatched.push({ feature: name, pattern });
      for (const index of matched) own.add(index);
    }
    for (const index of own) covered[index] = 1;
    byFeature.push({ name, files: own.size });
  }
  const uncovered = sorted.filter((_, index) => covered[index] === 0).sort();
  return { covered: sorted.length - uncovered.length, uncovered, byFeature, unmatched };
}

/** Indexes of the matching paths, each once. */
function matchedBy(files: readonly string[], sorted: readonly string[]): readonly number[] {
  const { bases, matches } = matcher(files);
  const found: number[] = [];
  for (const base of bases) {
    for (let index = firstWithin(base, sorted); index < sorted.length; index += 1) {
      const path = sorted[index] ?? '';
      if (!isWithin(base, path)) break;
      if (matches(path)) found.push(index);
    }
  }
  return found;
}

/** Index of the first path in a folder; in this order the paths of a folder are together. */
function firstWithin(base: string, sorted: readonly string[]): number {
  if (base === '') return 0;
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (byFolder(sorted[middle] ?? '', base) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Code unit order, but `/` first: otherwise `a-b` would come between `a` and `a/b`. */
function byFolder(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index += 1) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

const SLASH = 47;
const rank = (codeUnit: number): number => (codeUnit === SLASH ? -1 : codeUnit);
