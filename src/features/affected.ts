/** Which features some changed files concern, and which of two definitions demands more. Pure. */
import type { Feature } from '../base/config/feature.ts';
import type { Registry } from './fingerprint.ts';
import { filesOf, matcher } from './match.ts';
import { pathIndex } from './path-index.ts';

export interface Affected {
  /** Features that match a changed file, and their dependents, each with a changed file that concerns it; sorted. */
  readonly features: ReadonlyMap<string, string>;
  /** Changed files that belong to no feature. */
  readonly uncovered: readonly string[];
}

export function affectedFeatures(registry: Registry, changed: readonly string[]): Affected {
  const index = pathIndex(changed, (path) => path);
  const [first] = registry.values();
  const forAll = first?.always === undefined ? [] : changed.filter(matcher(first.always).matches);
  const covered = new Set(registry.size === 0 ? [] : forAll);
  const touched = new Map<string, string>();
  for (const feature of registry.values()) {
    const { name } = feature;
    const { bases, matches } = filesOf(feature);
    const own = index.within(bases).filter(matches);
    for (const path of own) covered.add(path);
    // A file that counts for every feature says less than one of the feature itself.
    const shown = own[0] ?? forAll[0];
    if (shown !== undefined) touched.set(name, shown);
  }
  return {
    features: withDependents(registry, touched),
    uncovered: changed.filter((path) => !covered.has(path)),
  };
}

function withDependents(
  registry: Registry,
  touched: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const dependents = new Map<string, string[]>();
  for (const { name, dependsOn } of registry.values()) {
    for (const dependency of dependsOn) {
      dependents.set(dependency, [...(dependents.get(dependency) ?? []), name]);
    }
  }
  const found = new Map(touched);
  const queue = [...touched];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [name, path] = next;
    for (const dependent of dependents.get(name) ?? []) {
      if (found.has(dependent)) continue;
      found.set(dependent, path);
      queue.push([dependent, path]);
    }
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * True if evidence under `next` proves at least what evidence under `previous` would: no file, no
 * smoke test and no dependency has been taken away, nor a file that always counts. Compares the
 * texts of the globs: a rewritten glob counts as narrower even if it matches the same files.
 */
export function coversAtLeast(next: Feature, previous: Feature): boolean {
  const tests = (feature: Feature) => feature.smoke.map((it) => `${it.cwd}\0${it.command}`);
  return (
    hasFilesOf(next, previous) &&
    isSubset(tests(previous), tests(next)) &&
    isSubset(previous.dependsOn, next.dependsOn) &&
    isSubset(previous.always ?? [], next.always ?? [])
  );
}

function hasFilesOf(next: Feature, previous: Feature): boolean {
  if (!previous.rest) return matchesAtLeast(next.files, previous.files);
  // Files that a rest leaves to other features now, it left to them before.
  const before = previous.others ?? [];
  const known = new Set(before.map((files) => files.join('\0')));
  const added = (next.others ?? []).filter((files) => !known.has(files.join('\0')));
  const isLeft = (files: readonly string[]) => before.some((it) => matchesAtLeast(it, files));
  return next.rest === true && added.every(isLeft);
}

function matchesAtLeast(next: readonly string[], previous: readonly string[]): boolean {
  const excludes = (files: readonly string[]) => files.filter((glob) => glob.startsWith('!'));
  const includes = (files: readonly string[]) => files.filter((glob) => !glob.startsWith('!'));
  return (
    isSubset(includes(previous), includes(next)) && isSubset(excludes(next), excludes(previous))
  );
}

function isSubset(part: readonly string[], whole: readonly string[]): boolean {
  return part.every((it) => whole.includes(it));
}
