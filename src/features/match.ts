/** Which paths belong to a set of globs, and which of a project belong to no feature. Pure. */
import picomatch from 'picomatch';
import type { Feature } from '../config/feature.ts';
import { isWithin } from '../git/tree-entry.ts';

/** Which paths belong to a set of globs, and where in a tree these can be. */
export interface Matcher {
  /**
   * Folders or files, relative to the root, outside of which nothing matches; `['']` is
   * everywhere. They let a caller list part of a tree instead of the whole.
   */
  readonly bases: readonly string[];
  matches(path: string): boolean;
}

/**
 * @param files globs relative to the root, `/`-separated; a leading `!` excludes, a trailing `/`
 *   means everything inside. Dot files count.
 */
export function matcher(files: readonly string[]): Matcher {
  const globs = files.map(wholeFolder);
  const include = globs.filter((glob) => !glob.startsWith('!'));
  const ignore = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const bases = outermost(include.map(base));
  // `s`, because `.` has to match a line break, too: a file name can have one.
  const matches = picomatch(include, { dot: true, ignore, flags: 's' });
  // In a large tree the comparison of strings avoids most of the regular expressions.
  return { bases, matches: (path) => bases.some((it) => isWithin(it, path)) && matches(path) };
}

function wholeFolder(glob: string): string {
  return glob.endsWith('/') ? `${glob}**` : glob;
}

function base(glob: string): string {
  const literal = picomatch.scan(glob).base;
  // Paths in the tree have no escapes: stop at the folder before the first one.
  const escaped = literal.indexOf('\\');
  return escaped === -1
    ? literal
    : literal.slice(0, Math.max(0, literal.lastIndexOf('/', escaped)));
}

/** Drops each base that lies inside another. */
export function outermost(bases: readonly string[]): string[] {
  const sorted = [...new Set(bases)].sort();
  return sorted.filter((it) => !sorted.some((other) => other !== it && isWithin(other, it)));
}

/** A bracket without its other half: the glob would match it literally, which is seldom meant. */
export function isUnbalanced(glob: string): boolean {
  try {
    picomatch.makeRe(glob, { strictBrackets: true });
    return false;
  } catch (error) {
    if (error instanceof SyntaxError) return true;
    throw error;
  }
}

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
