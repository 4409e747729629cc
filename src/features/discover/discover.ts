/**
 * Proposes features from the structure of a repository: packages, and folders of source with their
 * tests, each with the command that runs just these tests. One more feature has the rest, with the
 * whole suite. The result is a draft to edit.
 *
 * Pure: the caller supplies the tracked paths and reads manifests; nothing here runs code or git.
 */
import { FEATURE_NAME, type Feature, type SmokeTest } from '../../base/config/feature.ts';
import { setFeature, withAlways, withoutAsking } from '../../base/config/files.ts';
import { type Registry, withDependencies } from '../fingerprint.ts';
import {
  distinct,
  type Imports,
  type ProposedFeature,
  type ReadFile,
  smokeTest,
} from './manifest.ts';
import { javaScriptRoot, packageParts, projectNames } from './packages.ts';
import { type Part, partsOf, REST } from './parts.ts';
import { narrowTests, type Runner, runnersOf } from './runners.ts';
import { ancestors, isSpeakable, sourceTree } from './source-tree.ts';

/** More features would not be read, so they are joined by folder. */
const MOST_FEATURES = 40;

interface Repository {
  /** Tracked paths, `/`-separated from the root, in any order. */
  readonly paths: readonly string[];
  /** Text of a tracked file, or `undefined` if it cannot be read as text. */
  readonly readFile: (path: string) => string | undefined;
  /** The files that each file needs, as far as that is known. */
  readonly imports?: Imports;
}

/** Returns a draft; `[]` if nothing tests the repository. The same repository gives the same draft. */
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
  const javaScript = javaScriptRoot(whole, readTracked);
  const folders = new Set(packages.map(({ folder }) => folder));
  const tree = sourceTree(sorted.filter((path) => !ancestors(path).some((it) => folders.has(it))));
  const runners = runnersOf(tree, readTracked, javaScript, packages);
  const suite = wholeSuite(runners, packages);
  if (suite.length === 0) return [];

  const parts = partsOf({ tree, packages, runners, imports, most: MOST_FEATURES });
  // A single part and the rest are one feature: the whole project.
  const isAlone = parts.length < 3;
  const names = isAlone ? [...projectNames(javaScript, readTracked), 'app'] : ['rest', 'others'];
  const merged = isAlone ? parts.filter(({ key }) => key.includes('\0')) : [];
  const because = [
    `all ${isAlone ? 'that counts' : 'other files'}, with the whole suite`,
    ...merged.map((it) => it.because),
  ].join(': ');
  return proposed(
    parts
      .filter(({ key }) => key === REST || !isAlone)
      .map((it) => (it.key === REST ? { ...it, names, smoke: suite, because } : it)),
    runners,
  );
}

/** The commands that together run all tests: those of the root, and those of packages that these do not reach. */
function wholeSuite(
  runners: readonly Runner[],
  packages: ReturnType<typeof packageParts>,
): readonly SmokeTest[] {
  const reached = new Set(runners.map(({ reaches }) => reaches));
  const others = packages.filter(
    ({ workspace }) => !reached.has('everything') && !(workspace && reached.has(workspace)),
  );
  const whole = runners.toReversed().map((it) => smokeTest(it.whole));
  return distinct([...whole, ...others.flatMap((it) => it.smoke)]);
}

function proposed(parts: readonly Part[], runners: readonly Runner[]): readonly ProposedFeature[] {
  const names = settleNames(parts.map((part) => part.names));
  const byKey = new Map(parts.map(({ key }, at) => [key, names[at] ?? '']));
  return parts.map(({ key, files, smoke, tests, needs, because }, at) => ({
    name: names[at] ?? '',
    files,
    ...(key === REST && { rest: true as const }),
    smoke: [...smoke, ...narrowTests(runners, tests)],
    dependsOn: [...needs].flatMap((it) => byKey.get(it) ?? []).sort(),
    description: '',
    because,
  }));
}

interface Draft {
  readonly added: readonly string[];
  /** Names that the project already has; these features stay unchanged. */
  readonly kept: readonly string[];
  /** Files that are to count for every feature; none if the project already says which do. */
  readonly always: readonly string[];
  /** `lanehold.json` with the new features in it; `undefined` if there are none. */
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
  const hasRest = [...registry.values()].some(({ rest }) => rest);
  const isKnown = ({ name, rest }: Feature) => registry.has(name) || (rest === true && hasRest);
  const added = proposals
    .filter((it) => !isKnown(it))
    .map(({ because: _, ...feature }): Feature => feature);
  const whole: Registry = new Map([
    ...registry,
    ...added.map((feature) => [feature.name, feature] as const),
  ]);
  for (const { name } of added) withDependencies(name, whole);
  let text = before;
  for (const feature of added) {
    text = setFeature(text, feature);
    if (feature.rest) text = withoutAsking(text);
  }
  const counting = text === undefined || added.length === 0 ? undefined : withAlways(text, always);
  text = counting ?? text;
  return {
    added: added.map(({ name }) => name),
    always: counting === undefined ? [] : always,
    kept: proposals.filter(isKnown).map(({ name }) => name),
    text: added.length === 0 ? undefined : text,
  };
}

const MAX_LENGTH = 60;

/** Gives each part a unique name: the first of its possible names that no other part wants or has. */
function settleNames(candidates: readonly (readonly string[])[]): readonly string[] {
  const wanted = candidates.map((names) => {
    const usable = names.map(featureName).filter((name) => FEATURE_NAME.test(name));
    return usable.length === 0 ? ['part'] : usable;
  });
  // A name that two parts share says too little.
  const firsts = Map.groupBy(wanted, ([first]) => first);
  const taken = new Set<string>();
  return wanted.map((names) => {
    const [first = ''] = names;
    const isShared = (firsts.get(first)?.length ?? 0) > 1;
    const order = isShared ? [...names.slice(1), first] : names;
    const numbered = Array.from(taken, (_, at) => `${first}-${at + 2}`);
    const name = [...order, ...numbered].find((it) => !taken.has(it)) ?? first;
    taken.add(name);
    return name;
  });
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
