/** Which features some changed files concern, and which of two definitions demands more. Pure. */
import type { Feature } from '../config/feature.ts';
import type { Registry } from './fingerprint.ts';
import { matcher } from './match.ts';

export interface Affected {
  /**
   * Features that match a changed file, and those that depend on them, each with a changed file
   * that concerns it; sorted by name.
   */
  readonly features: ReadonlyMap<string, string>;
  /** Changed files that belong to no feature. */
  readonly uncovered: readonly string[];
}

export function affectedFeatures(registry: Registry, changed: readonly string[]): Affected {
  const covered = new Set<string>();
  const touched = new Map<string, string>();
  const always = alwaysMatcher(registry);
  for (const feature of registry.values()) {
    const { matches } = matcher(feature.files);
    // A file that counts for every feature tells less than one of its own.
    let shown: { readonly path: string; readonly own: boolean } | undefined;
    for (const path of changed) {
      const own = matches(path);
      if (!own && !always(path)) continue;
      covered.add(path);
      if (shown === undefined || (own && !shown.own)) shown = { path, own };
    }
    if (shown !== undefined) touched.set(feature.name, shown.path);
  }
  return {
    features: withDependents(registry, touched),
    uncovered: changed.filter((path) => !covered.has(path)),
  };
}

/** The same for every feature of a registry. */
function alwaysMatcher(registry: Registry): (path: string) => boolean {
  const [first] = registry.values();
  return first?.always === undefined ? () => false : matcher(first.always).matches;
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
  const includes = (feature: Feature) => feature.files.filter((glob) => !glob.startsWith('!'));
  const excludes = (feature: Feature) => feature.files.filter((glob) => glob.startsWith('!'));
  const tests = (feature: Feature) => feature.smoke.map((it) => `${it.cwd}\0${it.command}`);
  return (
    isSubset(includes(previous), includes(next)) &&
    isSubset(excludes(next), excludes(previous)) &&
    isSubset(tests(previous), tests(next)) &&
    isSubset(previous.dependsOn, next.dependsOn) &&
    isSubset(previous.always ?? [], next.always ?? [])
  );
}

function isSubset(part: readonly string[], whole: readonly string[]): boolean {
  return part.every((it) => whole.includes(it));
}
