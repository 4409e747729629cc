/** Which features a set of changed files concerns, and which definitions of them count. Pure. */
import type { Feature } from '../config/feature.ts';
import type { Registry } from './fingerprint.ts';
import { matcher } from './match.ts';

export interface Affected {
  /** Features that match a changed file, and those that depend on them; sorted. */
  readonly names: readonly string[];
  /** Changed files that belong to no feature. */
  readonly uncovered: readonly string[];
}

export function affectedFeatures(registry: Registry, changed: readonly string[]): Affected {
  const covered = new Set<string>();
  const touched = new Set<string>();
  const always = alwaysMatcher(registry);
  for (const feature of registry.values()) {
    const { matches } = matcher(feature.files);
    for (const path of changed) {
      if (!matches(path) && !always(path)) continue;
      covered.add(path);
      touched.add(feature.name);
    }
  }
  return {
    names: withDependents(registry, touched),
    uncovered: changed.filter((path) => !covered.has(path)),
  };
}

/** It is the same for every feature of a registry. */
function alwaysMatcher(registry: Registry): (path: string) => boolean {
  const [first] = registry.values();
  return first?.always === undefined ? () => false : matcher(first.always).matches;
}

function withDependents(registry: Registry, touched: ReadonlySet<string>): string[] {
  const dependents = new Map<string, string[]>();
  for (const { name, dependsOn } of registry.values()) {
    for (const dependency of dependsOn) {
      dependents.set(dependency, [...(dependents.get(dependency) ?? []), name]);
    }
  }
  const found = new Set<string>();
  const queue = [...touched];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    queue.push(...(dependents.get(name) ?? []));
  }
  return [...found].sort();
}

/**
 * True if evidence under `next` proves at least what evidence under `previous` would: no file, no
 * smoke test and no dependency has been taken away, nor a file that always counts. Compares the texts of the globs: a rewritten
 * glob that happens to match the same files counts as narrower, because nobody can tell for sure.
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
