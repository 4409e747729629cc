/** The parts of a repository: which files belong together, which tests are theirs, and which other parts each needs. */
import type { SmokeTest } from '../../base/config/feature.ts';
import { distinct, type Imports, type Package } from './manifest.ts';
import { lastProgram, type Runner, type Tests } from './runners.ts';
import { sharedFiles } from './shared-files.ts';
import { sourceFolders } from './source-folders.ts';
import {
  ancestors,
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
  /** The folder that contains the part, or most of it. */
  readonly folder: string;
  /** Possible names, best first. */
  readonly names: readonly string[];
  readonly files: readonly string[];
  readonly tests: readonly Tests[];
  /** The part's own commands. */
  readonly smoke: readonly SmokeTest[];
  /** Keys of the parts that it needs. */
  readonly needs: ReadonlySet<string>;
  readonly because: string;
}

/** A part while it is built. */
interface Unit extends Part {
  readonly files: string[];
  readonly tests: Tests[];
  /** Folders and files whose content belongs to it, unless another place is nearer. */
  readonly places: string[];
}

function unit(folder: string, because: string, more: Partial<Unit> = {}): Unit {
  const names = [baseName(folder), folder];
  const files = [everythingIn(folder)];
  const own = { key: folder, folder, names, files, places: [folder], because };
  return { ...own, tests: [], smoke: [], needs: new Set(), ...more };
}

interface Repository {
  /** The tree without the packages. */
  readonly tree: SourceTree;
  readonly packages: readonly Package[];
  readonly runners: readonly Runner[];
  readonly imports: Imports;
  readonly most: number;
}

/** The key of the last part, which has no files of its own. */
export const REST = '';

/** A source file outside of all parts belongs to the parts that need it, up to this number. */
const MOST_OWNERS = 3;
/** A part with more single files leaves them to the rest. */
const MOST_SINGLE = 20;

export function partsOf(repository: Repository): readonly Part[] {
  const { tree, packages, runners, imports, most } = repository;
  const ofPackages = packages.map((it) => packageUnit(it, repository));
  const folders = folderUnits(repository);
  const loose = placeTests(repository, ofPackages, folders);
  const all = [...ofPackages, ...folders, ...loose];
  const unitOf = finder(all);
  const nodeOf = (path: string): string => unitOf(path)?.key ?? path;

  const edges = new Map<string, Set<string>>();
  const connect = (from: string, to: string) => {
    if (from !== to) edges.set(from, (edges.get(from) ?? new Set()).add(to));
  };
  // A file that counts for every feature makes no part need another.
  const always = new Set(sharedFiles(tree.filesIn('')));
  for (const [path, targets] of imports) {
    if (always.has(literal(path))) continue;
    const others = targets.filter((it) => !always.has(literal(it)));
    for (const target of others) connect(nodeOf(path), nodeOf(target));
  }
  const byId = new Map(packages.flatMap((it) => (it.ids ?? []).map((id) => [id, it.folder])));
  for (const { folder, needs = [] } of packages) {
    for (const id of needs) connect(folder, byId.get(id) ?? folder);
  }

  const tested = new Set(
    all.filter((it) => it.smoke.length + it.tests.length > 0).map(({ key }) => key),
  );
  const reached = new Map([...tested].map((key) => [key, reach([key], edges, tested)]));
  shareOut(all, tested, reached);
  // The rest needs what is tested by tests that no part runs.
  const unrun = tree
    .filesIn('')
    .filter((it) => unitOf(it) === undefined && (isTest(it) || runnerOf(it, runners)));
  const { needs } = reach(unrun, edges, tested);
  const parts = all
    .filter(({ key }) => tested.has(key))
    .map((it) => ({ ...it, needs: reached.get(it.key)?.needs ?? it.needs }));
  return fewerThan(most, withoutCycles([...parts, unit(REST, '', { files: [], needs })]));
}

function finder(units: readonly Unit[]) {
  const byPlace = new Map(units.flatMap((it) => it.places.map((place) => [place, it])));
  return (path: string) => [path, ...ancestors(path)].flatMap((it) => byPlace.get(it) ?? [])[0];
}

/**
 * A nested package is a part of its own, so the outer one excludes it. If the root's script starts the same runner as
 * the package's, the root's runs the tests, so that one start can serve several features.
 */
function packageUnit(it: Package, { packages, runners }: Repository): Unit {
  const { folder, names, because, script = '' } = it;
  const nested = packages.filter((inner) => inner.folder.startsWith(`${folder}/`));
  const files = [folder, ...nested.map((inner) => inner.folder)].map(
    (place) => `${place === folder ? '' : '!'}${everythingIn(place)}`,
  );
  const program = lastProgram(script);
  const isFilter = program?.name === 'vitest' || program?.name === 'jest';
  const runner = runners.find((root) => isFilter && root.program === program && root.narrow);
  return runner === undefined
    ? unit(folder, because, { names, files, smoke: it.smoke })
    : unit(folder, because, { names, files, tests: [{ runner, path: folder }] });
}

function folderUnits({ tree, runners }: Repository): readonly Unit[] {
  return sourceFolders(tree).map((folder) => {
    const used = new Set(tree.filesIn(folder).flatMap((it) => runnerOf(it, runners) ?? []));
    const narrow = [...used].filter((it) => it.narrow !== undefined && isUsable(folder));
    const tests = narrow.map((runner) => ({ runner, path: folder }));
    return unit(folder, `source folder \`${folder}\``, { tests });
  });
}

const runnerOf = (path: string, runners: readonly Runner[]): Runner | undefined =>
  runners.find((it) => it.isTest(path));

/** A path that can be put between quotes in a command, and is no option. */
const isUsable = (path: string): boolean => /^[^-'\\\n][^'\\\n]*$/.test(path);

/**
 * Gives tests that lie outside to the folder that they test: the one after which they are named, or
 * the only one that they import. Others become units of their own, which need what they import.
 */
function placeTests(
  { tree, runners, imports }: Repository,
  ofPackages: readonly Unit[],
  folders: readonly Unit[],
): readonly Unit[] {
  const unitOf = finder([...ofPackages, ...folders]);
  const loose = new Map<string, Unit>();
  const ownerOf = (path: string, { whole }: Runner): Unit => {
    const imported = new Set((imports.get(path) ?? []).flatMap((it) => unitOf(it) ?? []));
    const named = folders.filter(({ folder }) => isNamedAfter(path, baseName(folder)));
    const [only] = named.length === 1 ? named : imported.size === 1 ? imported : [];
    if (only !== undefined && folders.includes(only)) return only;
    const folder = path.includes('/') ? path.slice(0, path.indexOf('/')) : 'tests';
    const key = `${whole} ${folder}`;
    const because = `tests in \`${folder}\` of several parts`;
    const more = { key, names: [folder, `${folder}-tests`], files: [], places: [] };
    const own = loose.get(key) ?? unit(folder, because, more);
    loose.set(key, own);
    return own;
  };
  const outside = tree.filesIn('').flatMap((path) => {
    const runner = runnerOf(path, runners);
    const isOutside = unitOf(path) === undefined && isUsable(path);
    if (runner?.narrow === undefined || !isOutside) return [];
    return { path, runner, owner: ownerOf(path, runner) };
  });
  const owners = new Map(outside.map(({ path, owner }) => [path, owner]));
  const isOwnFolder = (folder: string, owner: Unit) =>
    !folders.some((it) => it.folder.startsWith(`${folder}/`)) &&
    tree.filesIn(folder).every((it) => !isTest(it) || owners.get(it) === owner);
  for (const { path, runner, owner } of outside) {
    const place = ancestors(path).findLast((it) => isOwnFolder(it, owner)) ?? path;
    if (owner.places.includes(place)) continue;
    owner.places.push(place);
    owner.files.push(place === path ? literal(path) : everythingIn(place));
    owner.tests.push({ runner, path: place });
    // The next tests of this folder may lie beside the source.
    if (folders.includes(owner)) owner.tests.push({ runner, path: owner.folder });
  }
  return [...loose.values()];
}

/** `tests/cart/add.py`, `test_cart.py`, `cart.test.ts` and `cart_spec.rb` are named after `cart`. */
function isNamedAfter(path: string, name: string): boolean {
  const bare = baseName(path).replace(
    /^test_|(?:[._-](?:test|spec))?\.[^.]+$|(?:Tests?|Spec)\.[^.]+$/g,
    '',
  );
  return bare === name || parent(path).split('/').slice(1).includes(name);
}

/** What is needed from some starts on: the first tested units, and those between. */
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

/** Gives folders without tests, and single source files, to the units that need them. */
function shareOut(
  all: readonly Unit[],
  tested: ReadonlySet<string>,
  reached: ReadonlyMap<string, ReturnType<typeof reach>>,
): void {
  const untested = new Map(all.filter(({ key }) => !tested.has(key)).map((it) => [it.key, it]));
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

/** Joins parts that need each other: without one of their edges, a change could pass. */
function withoutCycles(parts: readonly Part[]): readonly Part[] {
  const edges = new Map(parts.map(({ key, needs }) => [key, needs]));
  const below = new Map(parts.map(({ key }) => [key, reach([key], edges, new Set()).passed]));
  const isIn = (one: Part, other: Part) => below.get(one.key)?.has(other.key) === true;
  // The first part of a circle stands for all of it.
  const firstOf = (part: Part) =>
    parts.find((it) => it === part || (isIn(it, part) && isIn(part, it)));
  return together(Map.groupBy(parts, firstOf), (group) => {
    const folders = group.map(({ folder }) => `\`${folder}\``).join(', ');
    return `${group.length > 3 ? `${group.length} parts that` : `${folders}, which`} need each other`;
  });
}

/** Joins groups of parts; their needs follow. */
function together(
  groups: ReadonlyMap<unknown, readonly Part[]>,
  because: (group: readonly Part[], folder: string) => string,
): readonly Part[] {
  const keyOf = (group: readonly Part[]) => group.map(({ key }) => key).join('\0');
  const newKeys = new Map(
    [...groups.values()].flatMap((group) => group.map((it) => [it.key, keyOf(group)])),
  );
  return [...groups.values()].map((group): Part => {
    const [first, second] = group as [Part, ...Part[]];
    const key = keyOf(group);
    const needed = group.flatMap((it) => [...it.needs].flatMap((one) => newKeys.get(one) ?? []));
    const needs = new Set(needed.filter((it) => it !== key));
    if (second === undefined) return { ...first, needs };
    const folder = commonFolder(group.map((it) => it.folder));
    const pair = group.length === 2 ? [`${first.names[0]}-${second.names[0]}`] : [];
    const files = new Set(group.flatMap((it) => it.files));
    return {
      key,
      folder,
      needs,
      because: because(group, folder),
      names: [...pair, baseName(folder), `${first.names[0]}-and-others`],
      files: [...files].filter((it) => !it.startsWith('!') || !files.has(it.slice(1))),
      tests: group.flatMap(({ tests }) => tests),
      smoke: distinct(group.flatMap(({ smoke }) => smoke)),
    };
  });
}

function commonFolder([first = '', ...others]: readonly string[]): string {
  const isAbove = (folder: string) => others.every((it) => `${it}/`.startsWith(`${folder}/`));
  return [first, ...ancestors(first)].find(isAbove) ?? '';
}

/** Joins parts by their folders, the deepest first, until there are few enough. */
function fewerThan(most: number, parts: readonly Part[]): readonly Part[] {
  let found = parts;
  const deepest = Math.max(...parts.map(({ folder }) => folder.split('/').length));
  for (let depth = deepest - 1; depth >= 0 && found.length > most; depth -= 1) {
    const cut = ({ key, folder }: Part) =>
      key === REST ? undefined : folder.split('/').slice(0, depth).join('/');
    const grouped = together(
      Map.groupBy(found, cut),
      (group, folder) =>
        `${group.length} parts in \`${folder}\`, taken together because there are more than ${most}`,
    );
    found = withoutCycles(grouped.map(inWholeFolder));
  }
  return found;
}

/** Replaces many globs for files of the folder with one for the folder. */
function inWholeFolder(part: Part): Part {
  const { folder, files, tests } = part;
  if (folder === '' || files.length < 3) return part;
  const isIn = (path: string) => path.replaceAll(/^!|\\/g, '').startsWith(`${folder}/`);
  const inside = tests.filter(({ path }) => isIn(path)).map((it) => ({ ...it, path: folder }));
  return {
    ...part,
    files: [everythingIn(folder), ...files.filter((it) => !isIn(it))],
    tests: [...tests, ...inside],
  };
}
