/** The parts of a repository: which files belong together, which tests are theirs, and which parts each needs. */
import type { SmokeTest } from '../../base/config/feature.ts';
import type { Imports, Package } from './manifest.ts';
import { ancestors } from './named-files.ts';
import type { Runner } from './runners.ts';
import { sharedFiles } from './shared-files.ts';
import { sourceFolders } from './source-folders.ts';
import {
  baseName,
  everythingIn,
  isSource,
  isTest,
  literal,
  parent,
  type SourceTree,
} from './source-tree.ts';

export interface Part {
  readonly key: string;
  /** The folder that all of it is in, or most of it. */
  readonly folder: string;
  /** Possible names, best first. */
  readonly names: readonly string[];
  readonly files: readonly string[];
  /** Files and folders with its tests, which `runner` runs. */
  readonly tests: readonly { readonly runner: Runner; readonly path: string }[];
  /** Commands of its own. */
  readonly smoke: readonly SmokeTest[];
  /** Keys of the parts that it needs. */
  readonly needs?: ReadonlySet<string>;
  readonly because: string;
}

interface Repository {
  /** Without what lies in packages. */
  readonly tree: SourceTree;
  readonly packages: readonly Package[];
  readonly runners: readonly Runner[];
  readonly imports: Imports;
  readonly most: number;
}

/** A source file outside all parts belongs to those that need it, unless these are more. */
const MOST_OWNERS = 3;
/** A part with more single files leaves them to the rest. */
const MOST_SINGLE = 20;

export function partsOf(repository: Repository) {
  const { tree, packages, runners, imports, most } = repository;
  const units = [...packages.map((it) => packageUnit(it, packages)), ...folderUnits(repository)];
  const loose = placeTests(repository, units);
  const all = [...units, ...loose];
  const places = new Map(all.flatMap((it) => it.places.map((place) => [place, it])));
  const unitOf = (path: string) =>
    [path, ...ancestors(path)].flatMap((it) => places.get(it) ?? [])[0];
  const nodeOf = (path: string): string => unitOf(path)?.key ?? path;

  const edges = new Map<string, Set<string>>();
  const connect = (from: string, to: string) => {
    if (from !== to) edges.set(from, (edges.get(from) ?? new Set()).add(to));
  };
  // Files that count for every feature make none need another.
  const always = new Set(sharedFiles(tree.filesIn('')));
  for (const [path, targets] of imports) {
    if (always.has(literal(path))) continue;
    const others = targets.filter((it) => !always.has(literal(it)));
    for (const target of others) connect(nodeOf(path), nodeOf(target));
  }
  for (const [from, to] of packageNeeds(packages)) connect(nodeOf(from), nodeOf(to));

  const tested = new Set(
    all.filter((it) => it.smoke.length + it.tests.length > 0).map(({ key }) => key),
  );
  const reached = new Map([...tested].map((key) => [key, reach([key], edges, tested)]));
  shareOut(all, tested, reached);

  const isUnrun = (path: string) =>
    unitOf(path) === undefined && (isTest(path) || runners.some((it) => it.isTest(path)));
  const unrun = tree.filesIn('').filter(isUnrun);
  const { needs: restNeeds } = reach(unrun, edges, tested);
  const parts = all
    .filter(({ key }) => tested.has(key))
    .map((it): Part => ({ ...it, needs: reached.get(it.key)?.needs ?? new Set() }));
  const merged = fewerThan(most, withoutCycles(parts));
  const keys = merged.filter(({ key }) =>
    [...restNeeds].some((it) => key.split('\0').includes(it)),
  );
  return { parts: merged, restNeeds: new Set(keys.map(({ key }) => key)) };
}

/** A possible part while it is put together. */
interface Unit extends Part {
  readonly files: string[];
  readonly tests: { readonly runner: Runner; readonly path: string }[];
  /** Folders and files of which everything is in it, unless another place is nearer. */
  readonly places: string[];
}

/** A nested package is a part of its own, so the outer one excludes it. */
function packageUnit(it: Package, packages: readonly Package[]): Unit {
  const nested = packages.filter(({ folder }) => folder.startsWith(`${it.folder}/`));
  const { folder, names, smoke, because } = it;
  const files = [...it.files, ...nested.map((inner) => `!${everythingIn(inner.folder)}`)];
  return { key: folder, folder, names, files, smoke, tests: [], places: [folder], because };
}

function folderUnits({ tree, runners }: Repository): Unit[] {
  return sourceFolders(tree).map((folder) => ({
    key: folder,
    folder,
    names: [baseName(folder), folder],
    files: [everythingIn(folder)],
    smoke: [],
    tests: runners
      .filter((it) => it.narrow !== undefined && isUsable(folder))
      .filter((runner) => tree.filesIn(folder).some((it) => runnerOf(it, runners) === runner))
      .map((runner) => ({ runner, path: folder })),
    places: [folder],
    because: `source folder \`${folder}\``,
  }));
}

const runnerOf = (path: string, runners: readonly Runner[]): Runner | undefined =>
  runners.find((it) => it.isTest(path));

/** A path that can be put between quotes in a command, and is no option. */
const isUsable = (path: string): boolean => /^[^-'\\\n][^'\\\n]*$/.test(path);

/**
 * Gives tests that lie outside to the folder that they test: the one that they are named after, or the only one
 * that they import. Others become units of their own, which need what they import.
 */
function placeTests(repository: Repository, units: readonly Unit[]): readonly Unit[] {
  const { tree, packages } = repository;
  const folders = units.slice(packages.length);
  const loose = new Map<string, Unit>();
  const tests = outsideTests(repository, units).map(({ path, runner, unit }) => {
    const top = path.includes('/') ? path.slice(0, path.indexOf('/')) : 'tests';
    const key = `${runner.whole} ${top}`;
    const owner = unit ?? loose.get(key) ?? looseUnit(key, top);
    if (unit === undefined) loose.set(key, owner);
    return { path, runner, owner };
  });
  const ownerOf = new Map(tests.map(({ path, owner }) => [path, owner]));
  const isOwnFolder = (folder: string, owner: Unit) =>
    !folders.some((it) => it.folder.startsWith(`${folder}/`)) &&
    tree.filesIn(folder).every((it) => !isTest(it) || ownerOf.get(it) === owner);
  for (const { path, runner, owner } of tests) {
    const place = ancestors(path).findLast((it) => isOwnFolder(it, owner)) ?? path;
    if (owner.places.includes(place)) continue;
    owner.places.push(place);
    owner.files.push(place === path ? literal(path) : everythingIn(place));
    owner.tests.push({ runner, path: place });
    // The next test may come to lie beside the source.
    if (folders.includes(owner)) owner.tests.push({ runner, path: owner.folder });
  }
  return [...loose.values()];
}

const looseUnit = (key: string, folder: string): Unit => ({
  ...{
    key,
    folder,
    names: [folder, `${folder}-tests`],
    files: [],
    smoke: [],
    tests: [],
    places: [],
  },
  because: `tests in \`${folder}\` of several parts`,
});

/** Tests outside all units, with the folder that each tests. */
function outsideTests({ tree, runners, imports, packages }: Repository, units: readonly Unit[]) {
  const byPlace = new Map(units.flatMap((it) => it.places.map((place) => [place, it])));
  const unitOf = (path: string) => ancestors(path).flatMap((it) => byPlace.get(it) ?? [])[0];
  const folders = units.slice(packages.length);
  return tree.filesIn('').flatMap((path) => {
    const runner = runnerOf(path, runners);
    if (runner?.narrow === undefined || unitOf(path) !== undefined || !isUsable(path)) return [];
    const imported = new Set((imports.get(path) ?? []).flatMap((it) => unitOf(it) ?? []));
    const named = folders.filter(({ folder }) => isNamedAfter(path, baseName(folder)));
    const [unit] = named.length === 1 ? named : imported.size === 1 ? imported : [];
    return { path, runner, unit: unit && folders.includes(unit) ? unit : undefined };
  });
}

/** `tests/cart/add.py`, `test_cart.py`, `cart.test.ts` and `cart_spec.rb` are named after `cart`. */
function isNamedAfter(path: string, name: string): boolean {
  const bare = baseName(path).replace(
    /^test_|(?:[._-](?:test|spec))?\.[^.]+$|(?:Tests?|Spec)\.[^.]+$/g,
    '',
  );
  return bare === name || parent(path).split('/').slice(1).includes(name);
}

/** Edges between packages by their manifests. */
function packageNeeds(packages: readonly Package[]) {
  const byId = new Map(packages.flatMap((it) => (it.ids ?? []).map((id) => [id, it.folder])));
  return packages.flatMap(({ folder, needs = [] }) =>
    needs.flatMap((id) => {
      const needed = byId.get(id);
      return needed === undefined ? [] : [[folder, needed] as const];
    }),
  );
}

/** What is needed from somewhere on: the first tested units, and what lies on the way. */
function reach(
  starts: readonly string[],
  edges: ReadonlyMap<string, ReadonlySet<string>>,
  tested: ReadonlySet<string>,
) {
  const needs = new Set<string>();
  const passed = new Set<string>();
  const open = [...starts];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const next of edges.get(node) ?? []) {
      if (starts.includes(next) || passed.has(next)) continue;
      (tested.has(next) ? needs : passed).add(next);
      if (!tested.has(next)) open.push(next);
    }
  }
  return { needs, passed };
}

/** Folders without tests, and single source files, go to the units that need them. */
function shareOut(
  all: readonly Unit[],
  tested: ReadonlySet<string>,
  reached: ReadonlyMap<string, ReturnType<typeof reach>>,
): void {
  const untested = new Map(
    all.flatMap((it) => (tested.has(it.key) ? [] : [[it.key, it] as const])),
  );
  const uses = all.flatMap((unit) =>
    [...(reached.get(unit.key)?.passed ?? [])].map((node) => ({ node, unit })),
  );
  for (const [node, owners] of Map.groupBy(uses, (it) => it.node)) {
    const folder = untested.get(node);
    if (owners.length > MOST_OWNERS || !(folder || isSource(node))) continue;
    for (const { unit } of owners.filter((it) => it.unit.files.length < MOST_SINGLE)) {
      unit.files.push(...(folder?.files ?? [literal(node)]));
      const runners = new Set(folder && unit.tests.map(({ runner }) => runner));
      unit.tests.push(...[...runners].map((runner) => ({ runner, path: node })));
    }
  }
}

/** Parts that need each other are one: to leave out one of their edges would let something pass. */
function withoutCycles(parts: readonly Part[]): readonly Part[] {
  const edges = new Map(parts.map(({ key, needs = new Set() }) => [key, needs]));
  const below = new Map(parts.map(({ key }) => [key, reach([key], edges, new Set()).passed]));
  const grouped = new Set<Part>();
  const groups = parts.flatMap((part) => {
    if (grouped.has(part)) return [];
    const isBoth = ({ key }: Part) =>
      below.get(part.key)?.has(key) && below.get(key)?.has(part.key);
    const group = parts.filter((it) => it === part || isBoth(it));
    for (const it of group) grouped.add(it);
    return [group];
  });
  return together(parts, groups, (group) => `${listed(group)} need each other`);
}

const listed = (group: readonly Part[]): string =>
  group.length > 3
    ? `${group.length} folders that`
    : `${group.map(({ folder }) => `\`${folder}\``).join(', ')}, which`;

/** Takes groups of parts as one each, in the order of their first ones; needs follow. */
function together(
  parts: readonly Part[],
  groups: readonly (readonly Part[])[],
  because: (group: readonly Part[]) => string,
): readonly Part[] {
  const keyOf = (group: readonly Part[]) => group.map(({ key }) => key).join('\0');
  const newKeys = new Map(groups.flatMap((group) => group.map((it) => [it.key, keyOf(group)])));
  const needsOf = (group: readonly Part[]) => {
    const all = group.flatMap((it) => [...(it.needs ?? [])]).flatMap((it) => newKeys.get(it) ?? []);
    return new Set(all.filter((it) => it !== keyOf(group)));
  };
  return groups
    .toSorted(([a], [b]) => parts.indexOf(a as Part) - parts.indexOf(b as Part))
    .flatMap((group): Part | readonly [] => {
      const [first, second] = group;
      if (first === undefined) return [];
      const needs = needsOf(group);
      if (second === undefined) return { ...first, needs };
      const folder = commonFolder(group.map((it) => it.folder));
      const pair = group.length === 2 ? [`${first.names[0]}-${second.names[0]}`] : [];
      const includes = new Set(group.flatMap(({ files }) => files));
      const files = [...includes].filter(
        (it) => !includes.has(it.replace(/^!/, '')) || !it.startsWith('!'),
      );
      return {
        key: keyOf(group),
        folder,
        names: [...pair, baseName(folder), `${first.names[0]}-and-others`],
        files,
        tests: group.flatMap(({ tests }) => tests),
        smoke: [
          ...new Map(
            group.flatMap((it) => it.smoke).map((it) => [`${it.cwd} ${it.command}`, it]),
          ).values(),
        ],
        needs,
        because: because(group),
      };
    });
}

function commonFolder(folders: readonly string[]): string {
  const [first = '', ...others] = folders;
  const isAbove = (folder: string) => others.every((it) => `${it}/`.startsWith(`${folder}/`));
  return [first, ...ancestors(first)].find(isAbove) ?? '';
}

/** Takes parts together by their folders, the deepest first, until there are few enough. */
function fewerThan(most: number, parts: readonly Part[]): readonly Part[] {
  let found = parts;
  const deepest = Math.max(0, ...parts.map(({ folder }) => folder.split('/').length));
  for (let depth = deepest - 1; depth >= 0 && found.length > most; depth -= 1) {
    const cut = (it: Part) => it.folder.split('/').slice(0, depth).join('/');
    const groups = [...Map.groupBy(found, cut).values()];
    const because = (group: readonly Part[]) =>
      `${group.length} parts in \`${commonFolder(group.map((it) => it.folder))}\`, taken together because there are more than ${most}`;
    found = withoutCycles(together(found, groups, because).map(inWholeFolder));
  }
  return found;
}

/** One glob for the folder in the place of many for what is in it. */
function inWholeFolder(part: Part): Part {
  const { folder, files, tests } = part;
  if (folder === '' || files.length < 3) return part;
  const isIn = (path: string) => path.startsWith(`${folder}/`);
  const runners = new Set(tests.filter(({ path }) => isIn(path)).map(({ runner }) => runner));
  return {
    ...part,
    files: [
      everythingIn(folder),
      ...files.filter((it) => !isIn(it.replace(/^!/, '').replaceAll('\\', ''))),
    ],
    tests: [
      ...[...runners].map((runner) => ({ runner, path: folder })),
      ...tests.filter(({ path }) => !isIn(path)),
    ],
  };
}
