/**
 * Proposes features from the structure of a repository: workspaces and modules, folders of source
 * with the tests that mirror them, owners. The result is a draft to edit.
 *
 * Pure: the caller supplies the tracked paths and reads manifests; nothing here runs code or git.
 */
import { FEATURE_NAME, type Feature } from '../../base/config/feature.ts';
import { setFeature, withAlways } from '../../base/config/files.ts';
import { type Registry, withDependencies } from '../fingerprint.ts';
import { coverage, matcher } from '../match.ts';
import type { Imports } from './imports.ts';
import {
  type Package,
  type Part,
  type ProposedFeature,
  type ReadFile,
  readManifest,
} from './manifest.ts';
import { javaScriptRoot, packageParts, projectNames } from './packages.ts';
import { sourceFolders, type TestCommand, testCommands } from './source-folders.ts';
import {
  everythingIn,
  isSource,
  isSpeakable,
  literal,
  parent,
  type SourceTree,
  sourceTree,
} from './source-tree.ts';

/** A longer draft would not be read. */
const MAX_FEATURES = 300;

interface Repository {
  /** Tracked paths, `/`-separated from the root, in any order. */
  readonly paths: readonly string[];
  /** Text of a tracked file, or `undefined` if it cannot be read as text. */
  readonly readFile: (path: string) => string | undefined;
  /** What imports what, as far as that is known. */
  readonly imports?: Imports;
}

/** Returns a draft; `[]` if no source is tracked. The same repository gives the same draft. */
export function discoverFeatures({
  paths,
  readFile,
  imports = new Map(),
}: Repository): readonly ProposedFeature[] {
  const tracked = new Set(paths);
  const sorted = [...tracked].filter(isSpeakable).sort();
  const readTracked: ReadFile = (path) => (tracked.has(path) ? readFile(path) : undefined);
  const whole = sourceTree(sorted);
  if (!whole.hasSource('')) return [];

  const packages = packageParts(whole, readTracked);
  const folders = new Set(packages.map(({ folder }) => folder));
  const rest = sorted.filter((path) => !isInside(path, folders));
  const tree = packages.length === 0 ? whole : sourceTree(rest);
  const javaScript = javaScriptRoot(whole, readTracked);
  const testCommand = testCommands(tree, readTracked, javaScript);

  const project = projectNames(javaScript, readTracked);
  const folderParts = sourceFolders(tree, testCommand, project);
  const parts: Part[] = [...withoutNested(packages), ...folderParts];
  const owned = ownedParts(rest, parts, tracked, readTracked);
  const found = [...parts, ...owned].slice(0, MAX_FEATURES);
  if (found.length === 0) return proposed([everything(tree, testCommand, project)], []);
  return proposed(found, importedParts(found, imports));
}

/** The places of the parts whose files each part imports, by its own place. */
function importedParts(parts: readonly Part[], imports: Imports): readonly ReadonlySet<number>[] {
  const matchers = parts.map(({ files }) => matcher(files));
  const known = new Map<string, readonly number[]>();
  const partsWith = (path: string): readonly number[] => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const places = matchers.flatMap((it, place) => (it.matches(path) ? place : []));
    known.set(path, places);
    return places;
  };
  const found = parts.map(() => new Set<number>());
  for (const [path, targets] of imports) {
    for (const place of partsWith(path)) {
      for (const other of targets.flatMap(partsWith)) found[place]?.add(other);
    }
  }
  return found;
}

/** A nested package is a part of its own, so the outer one excludes it. */
function withoutNested(packages: readonly Package[]): readonly Part[] {
  const folders = packages.map(({ folder }) => folder);
  return packages.map((it) => {
    const nested = folders.filter((folder) => folder.startsWith(`${it.folder}/`));
    return { ...it, files: [...it.files, ...nested.map((folder) => `!${everythingIn(folder)}`)] };
  });
}

function isInside(path: string, folders: ReadonlySet<string>): boolean {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
    if (folders.has(path.slice(0, end))) return true;
  }
  return false;
}

/** Parts by owner, of source files that belong to no other part. */
function ownedParts(
  paths: readonly string[],
  parts: readonly Part[],
  tracked: ReadonlySet<string>,
  readFile: ReadFile,
): readonly Part[] {
  const file = codeownersPath(tracked);
  if (file === undefined) return [];
  const features = parts.map(({ files }) => ({ ...NO_FEATURE, files }));
  const { uncovered } = coverage(features, paths.filter(isSource));
  return ownerGroups(readManifest(readFile, file), uncovered);
}

const NO_FEATURE: Feature = { name: '', files: [], smoke: [], dependsOn: [], description: '' };

/** All source as one part. */
function everything(tree: SourceTree, testCommand: TestCommand, project: readonly string[]): Part {
  const folders = tree.folders('').filter((folder) => tree.hasSource(folder));
  const files = tree.files('').filter(isSource);
  const smoke = testCommand('', folders[0] ?? '', []);
  return {
    names: [...project, 'app'],
    files: [...folders.map(everythingIn), ...files.map(literal)].slice(0, MAX_PATTERNS),
    smoke: smoke === undefined ? [] : [smoke],
    because: 'all of the source, since nothing divides it',
  };
}

/** A folder of a hundred loose scripts is better described by a person. */
const MAX_PATTERNS = 100;

/** @param imported for each part the places of those that it imports. */
function proposed(
  parts: readonly Part[],
  imported: readonly ReadonlySet<number>[],
): readonly ProposedFeature[] {
  const names = settleNames(parts.map((part) => part.names));
  const owners = new Map<string, string>();
  for (const [index, part] of parts.entries()) {
    for (const id of part.ids ?? []) owners.set(id, names[index] ?? '');
  }
  const features = parts.map((part, index) => ({
    name: names[index] ?? '',
    files: part.files,
    smoke: part.smoke,
    dependsOn: dependencies(names[index] ?? '', [
      ...(part.needs ?? []).map((id) => owners.get(id)),
      ...[...(imported[index] ?? [])].map((place) => names[place]),
    ]),
    description: '',
    because: part.because,
  }));
  return withoutCycles(features);
}

function dependencies(name: string, needed: readonly (string | undefined)[]): string[] {
  return [...new Set(needed)].flatMap((it) => (it === undefined || it === name ? [] : it)).sort();
}

/** Packages may need each other, for tests for example. Features may not: later needs are left out. */
function withoutCycles(features: readonly ProposedFeature[]): readonly ProposedFeature[] {
  const accepted = new Map<string, string[]>();
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean => {
    if (from === to) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return (accepted.get(from) ?? []).some((next) => reaches(next, to, seen));
  };
  return features.map((feature) => {
    const dependsOn: string[] = [];
    accepted.set(feature.name, dependsOn);
    for (const name of feature.dependsOn) {
      if (!reaches(name, feature.name)) dependsOn.push(name);
    }
    return { ...feature, dependsOn };
  });
}

interface Draft {
  /** Names of the proposals that are new. */
  readonly added: readonly string[];
  /** Names that the project has already; these features stay unchanged. */
  readonly kept: readonly string[];
  /** Files that are to count for every feature; none if the project says itself which do. */
  readonly always: readonly string[];
  /** `lanehold.json` with the new ones in it; `undefined` if there are none. */
  readonly text: string | undefined;
}

/**
 * @param before text of `lanehold.json`, `undefined` when there is none yet.
 * @param always globs of files that concern every feature.
 * @throws {RegistryFileError} if `before` is no registry.
 * @throws {UnknownFeatureError | UsageError} if a new feature does not fit those that
 *   are there.
 */
export function draftOf(
  proposals: readonly ProposedFeature[],
  registry: Registry,
  before: string | undefined,
  always: readonly string[] = [],
): Draft {
  const isKnown = ({ name }: Feature) => registry.has(name);
  const added = proposals
    .filter((it) => !isKnown(it))
    .map(({ because: _, ...feature }): Feature => feature);
  const whole: Registry = new Map([
    ...registry,
    ...added.map((feature) => [feature.name, feature] as const),
  ]);
  for (const { name } of added) withDependencies(name, whole);
  let text = before;
  for (const feature of added) text = setFeature(text, feature);
  const counting = text === undefined || added.length === 0 ? undefined : withAlways(text, always);
  text = counting ?? text;
  return {
    added: added.map(({ name }) => name),
    always: counting === undefined ? [] : always,
    kept: proposals.filter(isKnown).map(({ name }) => name),
    text: added.length === 0 ? undefined : text,
  };
}

const PLACES = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'];
const MAX_RULES = 1000;

const codeownersPath = (paths: ReadonlySet<string>): string | undefined =>
  PLACES.find((place) => paths.has(place));

/**
 * One part for each owner, with the folders and files that the owner's rules name literally.
 *
 * @param uncovered the files to group; a rule that matches none of them is ignored.
 */
function ownerGroups(text: string, uncovered: readonly string[]): readonly Part[] {
  const files = new Set(uncovered);
  const folders = new Set(uncovered.flatMap(ancestors));
  const groups = new Map<string, Set<string>>();
  for (const { path, owner } of rules(text)) {
    const glob = folders.has(path)
      ? `${literal(path)}/**`
      : files.has(path)
        ? literal(path)
        : undefined;
    if (glob === undefined) continue;
    groups.set(owner, (groups.get(owner) ?? new Set()).add(glob));
  }
  return [...groups].map(([owner, globs]) => ({
    names: [owner.replace(/^.*\//, ''), owner],
    files: [...globs],
    smoke: [],
    because: `CODEOWNERS gives these files to ${owner}`,
  }));
}

/** Lines such as `/billing/ @acme/payments`; wildcards do not tell where the parts are. */
function rules(text: string): readonly { path: string; owner: string }[] {
  return text
    .split(/\r?\n/)
    .slice(0, MAX_RULES)
    .flatMap((line) => {
      const [pattern = '', owner = ''] = line.replace(/#.*/, '').trim().split(/\s+/);
      const path = pattern.replace(/^\/+/, '').replace(/(?:\/\*{0,2})?$/, '');
      const usable = /^[\w][\w./@+ -]*$/.test(path) && /^@?[\w][\w./@-]*$/.test(owner);
      return usable ? [{ path, owner: owner.replace(/^@/, '') }] : [];
    });
}

function ancestors(path: string): readonly string[] {
  const found: string[] = [];
  for (let folder = parent(path); folder !== ''; folder = parent(folder)) found.push(folder);
  return found;
}

const MAX_LENGTH = 60;

/** Gives each part a feature name of its own: the first candidate that is free, else a numbered one. */
function settleNames(candidates: readonly (readonly string[])[]): readonly string[] {
  const wanted = candidates.map((names) => {
    const usable = names.map(featureName).filter((name) => FEATURE_NAME.test(name));
    return usable.length === 0 ? ['part'] : usable;
  });
  // A name that two parts share tells too little: both get their next candidate.
  const firsts = new Map<string, number>();
  for (const [first = ''] of wanted) firsts.set(first, (firsts.get(first) ?? 0) + 1);

  const taken = new Set<string>();
  return wanted.map((names) => {
    const [first = 'part', ...others] = names;
    const order = (firsts.get(first) ?? 0) > 1 ? [...others, first] : names;
    const name = order.find((it) => !taken.has(it)) ?? numbered(first, taken);
    taken.add(name);
    return name;
  });
}

function numbered(name: string, taken: ReadonlySet<string>): string {
  let number = 2;
  while (taken.has(`${name}-${number}`)) number += 1;
  return `${name}-${number}`;
}

/** `@acme/Cart Service` becomes `acme-cart-service`. */
function featureName(text: string): string {
  return text
    .slice(0, 4 * MAX_LENGTH)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9._]+/g, '-')
    .replace(/^[-._]+|[-._]+$/g, '')
    .slice(0, MAX_LENGTH)
    .replace(/[-._]+$/, '');
}
