import picomatch from 'picomatch';
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
