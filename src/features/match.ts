/** Which paths belong to a set of globs, and which of a project belong to no feature. Pure. */
import picomatch from 'picomatch';
import { boundedCache } from '../base/bounded-cache.ts';
import { type Feature, REGISTRY_FILE } from '../base/config/feature.ts';
import { upwards } from '../base/git/tree-entry.ts';
import { countsFor } from './never-counts.ts';
import { pathIndex } from './path-index.ts';

/** Which paths belong to a set of globs, and where in a tree these can be. */
export interface Matcher {
  /**
   * Folders or files, relative to the root, outside of which nothing matches; `['']` is
   * everywhere. They let a caller list part of a tree instead of the whole.
   */
  readonly bases: readonly string[];
  /** Folders whose whole content matches. */
  readonly whole: readonly string[];
  matches(path: string): boolean;
}

/**
 * @param files globs relative to the root, `/`-separated; a leading `!` excludes, a trailing `/`
 *   means everything inside. Dot files count.
 */
export function matcher(files: readonly string[]): Matcher {
  const key = files.join('\0');
  const known = matchers.find(key) ?? compiled(files);
  matchers.keep(key, known);
  return known;
}

/** The compiled matchers by their globs. A compiled glob takes several times the memory of its text. */
const matchers = boundedCache<Matcher>(8 * 1024 * 1024, ({ bases }) => bases.length * 2_000);

// The flag `s` lets `.` match a line break, which a file name can contain.
const OPTIONS = { dot: true, flags: 's' };

function compiled(files: readonly string[]): Matcher {
  const globs = files.map((glob) => (glob.endsWith('/') ? `${glob}**` : glob));
  const including = globs.filter((glob) => !glob.startsWith('!'));
  const ignored = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const isIgnored = ignored.length === 0 ? () => false : picomatch(ignored, OPTIONS);
  // A path is matched only against the patterns of its folders, because there can be thousands of others.
  const byBase = Map.groupBy(including, base);
  // Most patterns are whole folders, and most paths of a large tree are in one of them.
  const isWhole = (folder: string) => byBase.get(folder)?.includes(`${folder}/**`) === true;
  const tests = new Map<string, (path: string) => boolean>();
  const testOf = (folder: string): ((path: string) => boolean) | undefined => {
    const patterns = byBase.get(folder);
    if (patterns === undefined) return undefined;
    const test = tests.get(folder) ?? (isWhole(folder) ? () => true : picomatch(patterns, OPTIONS));
    tests.set(folder, test);
    return test;
  };
  return {
    bases: outermost([...byBase.keys()]),
    whole: ignored.length > 0 ? [] : outermost([...byBase.keys()].filter(isWhole)),
    matches(path) {
      for (const folder of upwards(path)) {
        if (testOf(folder)?.(path)) return !isIgnored(path);
      }
      return false;
    },
  };
}

function base(glob: string): string {
  const literal = picomatch.scan(glob).base;
  // Paths of the tree have no escapes, so the base ends at the folder before the first one.
  const escaped = literal.indexOf('\\');
  return escaped === -1
    ? literal
    : literal.slice(0, Math.max(0, literal.lastIndexOf('/', escaped)));
}

/** The files of a feature: those that its globs match; for a rest, those that count and that no other feature has. */
export function filesOf(feature: Feature): Matcher {
  if (!feature.rest) return matcher(feature.files);
  const known = rests.get(feature) ?? outside(feature.others ?? []);
  rests.set(feature, known);
  return known;
}

const rests = new WeakMap<Feature, Matcher>();

function outside(others: NonNullable<Feature['others']>): Matcher {
  const matchers = others.map(matcher);
  const byBase = Map.groupBy(
    matchers.flatMap((it) => it.bases.map((base) => ({ base, matches: it.matches }))),
    ({ base }) => base,
  );
  const isTaken = (path: string): boolean => {
    for (const folder of upwards(path)) {
      if (byBase.get(folder)?.some(({ matches }) => matches(path))) return true;
    }
    return false;
  };
  const matches = (path: string) => path !== REGISTRY_FILE && countsFor(path) && !isTaken(path);
  return { bases: [''], whole: [], matches };
}

/** Completes the features: a rest gets the globs of the others, to which it leaves files. */
export function withOthers(features: readonly Feature[]): readonly Feature[] {
  const others = features.filter(({ rest }) => !rest).map(({ files }) => files);
  return features.map((it) => (it.rest && it.others === undefined ? { ...it, others } : it));
}

/** Drops each base that lies inside another. */
export function outermost(bases: readonly string[]): string[] {
  const all = new Set(bases);
  const isInside = (base: string): boolean => {
    for (const folder of upwards(base)) if (folder !== base && all.has(folder)) return true;
    return false;
  };
  return [...all].filter((it) => !isInside(it)).sort();
}

/** True if a bracket lacks its other half: the glob would match it literally, which is seldom meant. */
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
  readonly covered: number;
  /** Paths that belong to no feature, sorted. */
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
  const index = pathIndex([...new Set(paths)], (path) => path);
  const covered = new Set<string>();
  const byFeature: { name: string; files: number }[] = [];
  const unmatched: { feature: string; pattern: string }[] = [];

  for (const feature of withOthers(features)) {
    const { name } = feature;
    const own = new Set<string>();
    for (const { pattern, bases, matches } of patternsOf(feature)) {
      const matched = index.within(bases).filter(matches);
      if (matched.length === 0 && !feature.rest) unmatched.push({ feature: name, pattern });
      for (const path of matched) own.add(path);
    }
    for (const path of own) covered.add(path);
    byFeature.push({ name, files: own.size });
  }
  const uncovered = index.within(['']).filter((path) => !covered.has(path));
  return { covered: covered.size, uncovered, byFeature, unmatched };
}

function patternsOf(feature: Feature) {
  if (feature.rest) return [{ pattern: 'rest', ...filesOf(feature) }];
  const excludes = feature.files.filter((pattern) => pattern.startsWith('!'));
  return feature.files
    .filter((pattern) => !pattern.startsWith('!'))
    .map((pattern) => ({ pattern, ...matcher([pattern, ...excludes]) }));
}
