/**
 * Fingerprints tell whether a tree still has the content that was verified.
 *
 * Pure. The caller supplies the tree (`src/base/git/tree.ts`); nothing here runs git or opens a file.
 */
import type { Feature, SmokeTest } from '../base/config/feature.ts';
import { UsageError } from '../base/errors.ts';
import { type TreeEntry, withinAny } from '../base/git/tree-entry.ts';
import { nearest } from '../base/text/nearest.ts';
import { sha256 } from '../base/text/sha256.ts';
import { isLinked } from './linked.ts';
import { filesOf, matcher, outermost } from './match.ts';
import { type PathIndex, pathIndex } from './path-index.ts';
import { isRecipe, recipeMode } from './recipe-files.ts';

/** Changed whenever the format of the hashed bytes changes; older evidence then no longer matches. */
const FORMAT = 'fingerprint/1';

export type Registry = ReadonlyMap<string, Feature>;

/** 64 hex digits; branded, so that a commit id cannot be passed in its place. */
export type Fingerprint = string & { readonly __brand: 'Fingerprint' };

/** A feature together with all it depends on: the files and definitions that evidence is about. */
export interface FeatureContent {
  readonly feature: Feature;
  /** The folders or files of a tree that can hold its files. */
  readonly bases: readonly string[];
  /** The feature's own smoke tests, whose recipes count as well. */
  readonly smoke: readonly SmokeTest[];
  /** The parts of the fingerprint besides the tree: the definitions, and the files that are left to other features. */
  readonly key: string;
  /** Whether a file of this path counts. */
  has(path: string): boolean;
  /** The entries of a tree that count, sorted by path: files, and recipes of its smoke tests. */
  entriesIn(tree: readonly TreeEntry[]): TreeEntry[];
  /**
   * SHA-256 over the definitions and over `mode oid path` of every entry that counts: the same
   * content gives the same fingerprint on any branch, worktree or machine.
   */
  fingerprint(entries: readonly TreeEntry[]): Fingerprint;
}

/**
 * @throws {UnknownFeatureError} if the feature, or a name in a `dependsOn`, is not in the registry.
 * @throws {UsageError} if the dependencies form a loop.
 */
export function featureContent(name: string, registry: Registry): FeatureContent {
  const features = withDependencies(name, registry);
  const feature = registry.get(name) as Feature;
  const { always = [] } = feature;
  const matchers = [...features.map(filesOf), ...(always.length > 0 ? [matcher(always)] : [])];
  const bases = outermost(matchers.flatMap((it) => it.bases));
  // Most features have all their files in such folders, and then no file has to be matched.
  const whole = outermost(matchers.flatMap((it) => it.whole));
  const isInWhole = withinAny(whole);
  const parts = bases.filter((it) => !isInWhole(it));
  // Nothing is added if `always` is empty, so that older evidence stays valid.
  const alwaysToo = always.length === 0 ? [] : [JSON.stringify({ always: always.toSorted() })];
  const others = features.flatMap((it) => it.others ?? []);
  const definitions = [FORMAT, ...features.map(definition), ...alwaysToo].join('\0');
  const recipes = new Set(feature.smoke.map(recipeMode));
  const hasRest = features.some((it) => it.rest);
  const has = (path: string) => matchers.some((it) => it.matches(path));
  return {
    feature,
    bases,
    smoke: feature.smoke,
    // The fingerprint covers only the files that are kept: a new file of another feature does not end evidence.
    key: `${others.length === 0 ? '' : sha256(JSON.stringify(others))} ${definitions}`,
    has,
    entriesIn(tree) {
      const known = indexOf(tree);
      return [
        ...known.files.within(whole),
        ...known.files.within(parts).filter(({ path }) => !isInWhole(path) && has(path)),
        ...known.recipes.filter(({ mode }) => recipes.has(mode)),
        ...(hasRest ? known.linked : []),
      ].sort(byPath);
    },
    fingerprint(entries) {
      let text = definitions;
      for (const { mode, oid, path } of entries) text += `\0${mode} ${oid} ${path}`;
      return sha256(`${text}\0`) as Fingerprint;
    },
  };
}

/** The feature and all it depends on, directly or not: sorted by name, each once. */
export function withDependencies(root: string, registry: Registry): Feature[] {
  const found = new Map<string, Feature>();
  const visit = (name: string, trail: readonly string[]): void => {
    if (trail.includes(name)) {
      const loop = [...trail.slice(trail.indexOf(name)), name].join(' -> ');
      throw new UsageError(`features depend on each other in a loop: ${loop}`, {
        code: 'DEPENDENCY_CYCLE',
        hint: 'take one of these names out of a `dependsOn`',
      });
    }
    if (found.has(name)) return;
    const feature = registry.get(name);
    if (!feature) throw new UnknownFeatureError(name, [...registry.keys()], trail.at(-1));
    for (const dependency of feature.dependsOn) visit(dependency, [...trail, name]);
    found.set(name, feature);
  };
  visit(root, []);
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The entries of one tree, indexed once for all features. */
const indexes = new WeakMap<
  readonly TreeEntry[],
  {
    readonly files: PathIndex<TreeEntry>;
    readonly recipes: readonly TreeEntry[];
    readonly linked: readonly TreeEntry[];
  }
>();

function indexOf(tree: readonly TreeEntry[]) {
  const isFile = (it: TreeEntry) => !isRecipe(it) && !isLinked(it);
  const known = indexes.get(tree) ?? {
    files: pathIndex(tree.filter(isFile), ({ path }) => path),
    recipes: tree.filter(isRecipe),
    linked: tree.filter(isLinked),
  };
  indexes.set(tree, known);
  return known;
}

function byPath(a: TreeEntry, b: TreeEntry): number {
  if (a.path > b.path) return 1;
  if (a.path < b.path) return -1;
  // These are a file, and the recipes that it holds.
  return a.mode < b.mode ? -1 : a.mode > b.mode ? 1 : 0;
}

/** The parts of a definition that evidence depends on: not timeouts and descriptions. */
function definition({ name, files, rest, smoke, dependsOn }: Feature): string {
  const commands = smoke.map((test) => [test.command, test.cwd]);
  return JSON.stringify([name, rest ? 'rest' : files.toSorted(), commands, dependsOn.toSorted()]);
}

export class UnknownFeatureError extends UsageError {
  override readonly code = 'UNKNOWN_FEATURE';

  /** @param neededBy the feature whose `dependsOn` names it, if it was not asked for directly. */
  constructor(name: string, known: readonly string[], neededBy?: string) {
    const by = neededBy === undefined ? '' : `, which \`${neededBy}\` depends on`;
    const near = nearest(name, known);
    const hint = near ? `did you mean \`${near}\`?` : 'see `lanehold feature list`';
    super(`no feature named \`${name}\` in this project${by}`, { hint });
  }
}
