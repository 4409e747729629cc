/**
 * Decides which files belong to which features, by the files that their tests were seen to read. A
 * file stays with its feature unless it belongs to too many; a file that was read gets the fewest
 * features whose tests together are all that read it. Pure.
 */
import type { Feature } from '../../base/config/feature.ts';
import { matcher } from '../match.ts';
import type { Unit } from './measure.ts';

/** The most features for a file: with more, changing a comment would hold too much. */
const MOST_OWNERS = 3;

interface Knowledge {
  /** All features but the one that has the rest. */
  readonly features: readonly Feature[];
  /** The files that the tests of a feature read; features whose tests gave no result are missing. */
  readonly units: ReadonlyMap<string, readonly Unit[]>;
  readonly paths: readonly string[];
  /** Files that a runner reads for every test: they stay where they are, because nothing shows who needs them. */
  readonly everywhere: ReadonlySet<string>;
  /** Files that are left where they are: they count for every feature. */
  readonly isShared: (path: string) => boolean;
  /** All files that the tests of the rest read; `undefined` if there are no such tests, or they fail. */
  readonly rest: ReadonlySet<string> | undefined;
}

export interface LearnedMap {
  /** The files of each feature, without those of its dependencies. */
  readonly owned: ReadonlyMap<string, ReadonlySet<string>>;
  readonly dependsOn: ReadonlyMap<string, readonly string[]>;
  readonly toRest: readonly string[];
  /** Files that still belong to too many features. */
  readonly crowded: readonly string[];
}

type Owners = Map<string, ReadonlySet<string>>;
type Units = Knowledge['units'];

export function learnedMap(knowledge: Knowledge): LearnedMap {
  const { features, units, everywhere, isShared, rest } = knowledge;
  const owners = ownersNow(knowledge);
  const needs = readersOf(knowledge);
  const dependsOn = new Map(features.map((it) => [it.name, it.dependsOn]));
  let dependents = dependentsIn(dependsOn);
  const ownersOf = (path: string) => owners.get(path) ?? new Set<string>();
  /** The features that a change of the file holds. */
  const heldBy = (path: string) =>
    new Set([...ownersOf(path)].flatMap((name) => [...(dependents.get(name) ?? [])]));
  const crowded = () => [...needs.keys()].filter((path) => heldBy(path).size > MOST_OWNERS);
  /** Whether the tests of the rest read everything that the units read, and so can replace them. */
  const restRuns = (needed: ReadonlySet<Unit>): boolean =>
    rest !== undefined &&
    [...needed].every(({ own }) => [...own].every((path) => isShared(path) || rest.has(path)));
  const nearest = nearestIn(features);
  const cover = (path: string, missing: ReadonlySet<Unit>) =>
    covering(missing, units, (name) => [Number(ownersOf(path).has(name)), nearest(name, path)]);

  function widen(): void {
    for (const [path, needed] of needs) {
      const run = new Set([...heldBy(path)].flatMap((name) => units.get(name) ?? []));
      const more = cover(path, needed.difference(run));
      const isRest = ownersOf(path).size === 0 && more.length > MOST_OWNERS && restRuns(needed);
      if (!isRest) owners.set(path, ownersOf(path).union(new Set(more)));
    }
  }

  const toRest: string[] = [];
  /** Gives a file to the fewest features, or to the rest. */
  function narrow(path: string): void {
    const needed = needs.get(path) ?? new Set();
    const fewest = cover(path, needed);
    if (fewest.length <= MOST_OWNERS) owners.set(path, new Set(fewest));
    else if (restRuns(needed)) {
      owners.delete(path);
      toRest.push(path);
    }
  }

  widen();
  const tooMany = crowded();
  // A feature that was not measured may need any file that it has.
  if (tooMany.length > 0 && features.every(({ name }) => units.has(name))) {
    const uncertain = new Set([...everywhere].flatMap((path) => [...ownersOf(path)]));
    for (const name of new Set(tooMany.flatMap((path) => [...heldBy(path)]))) {
      const kept = dependsOn.get(name)?.filter((it) => uncertain.has(it)) ?? [];
      dependsOn.set(name, kept);
    }
    dependents = dependentsIn(dependsOn);
    widen();
    for (const path of crowded()) if (!everywhere.has(path)) narrow(path);
  }
  const owned = new Map(features.map(({ name }) => [name, new Set<string>()]));
  for (const [path, names] of owners) for (const name of names) owned.get(name)?.add(path);
  return { owned, dependsOn, toRest, crowded: crowded() };
}

function ownersNow({ features, paths }: Knowledge): Owners {
  const owners: Owners = new Map();
  for (const { name, files } of features) {
    for (const path of paths.filter(matcher(files).matches))
      owners.set(path, new Set([...(owners.get(path) ?? []), name]));
  }
  return owners;
}

function readersOf({ units, isShared }: Knowledge): ReadonlyMap<string, ReadonlySet<Unit>> {
  const readers = new Map<string, Set<Unit>>();
  for (const unit of new Set([...units.values()].flat())) {
    for (const path of unit.own) {
      if (!isShared(path)) readers.set(path, (readers.get(path) ?? new Set()).add(unit));
    }
  }
  return readers;
}

/** The features that depend on each feature, directly or not, and the feature itself. */
function dependentsIn(dependsOn: ReadonlyMap<string, readonly string[]>) {
  const found = new Map([...dependsOn.keys()].map((name) => [name, new Set([name])]));
  for (const all of found.values()) {
    for (const reached of all) {
      for (const [other, needs] of dependsOn) if (needs.includes(reached)) all.add(other);
    }
  }
  return found;
}

/** The features that together run some units: those that add most first, then the preferred ones. */
function covering(
  needed: ReadonlySet<Unit>,
  units: Units,
  preference: (name: string) => readonly number[],
): string[] {
  const chosen: string[] = [];
  for (let missing = needed; missing.size > 0; ) {
    const ranked = [...units].map(([name, own]) => {
      const adds = missing.intersection(new Set(own));
      return { name, adds, rank: [adds.size, ...preference(name), -own.length] };
    });
    const best = ranked.reduce((one, it) => (isHigher(it.rank, one.rank) ? it : one));
    if (best.adds.size === 0) break;
    chosen.push(best.name);
    missing = missing.difference(best.adds);
  }
  return chosen;
}

function isHigher(one: readonly number[], other: readonly number[]): boolean {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at !== -1 && (one[at] ?? 0) > (other[at] ?? 0);
}

/** How many folders a file shares with the files of a feature. */
function nearestIn(features: readonly Feature[]) {
  const bases = new Map(features.map(({ name, files }) => [name, matcher(files).bases]));
  return (name: string, path: string): number => {
    const steps = path.split('/');
    const shared = (bases.get(name) ?? []).map((base) =>
      base.split('/').findIndex((step, at) => step !== steps[at]),
    );
    return Math.max(0, ...shared.map((at) => (at === -1 ? steps.length : at)));
  };
}
