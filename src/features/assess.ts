/**
 * What is held back? Compares a tree with what others already have and asks, for each feature that
 * the difference concerns, whether there is valid evidence for exactly this content. Reads first
 * (`comparison.ts`), then computes.
 */
import type { Feature } from '../config/feature.ts';
import type { GatePolicy } from '../config/policy.ts';
import {
  type AgeLimit,
  type EvidenceStatus,
  evidenceStatus,
  recordsOf,
} from '../evidence/status.ts';
import { type RepositorySnapshot, snapshotOf } from '../git/repository-snapshot.ts';
import { areEqual, isWithin, type TreeEntry } from '../git/tree-entry.ts';
import { type Affected, affectedFeatures } from './affected.ts';
import {
  type Comparison,
  featuresOfChangedRecipes,
  loadChangedPaths,
  loadRegistries,
  loadTree,
  publishedTrees,
  type Registries,
  type Subject,
  type TreePart,
  type Trees,
} from './comparison.ts';
import {
  type FeatureContent,
  type Fingerprint,
  featureContent,
  type Registry,
} from './fingerprint.ts';
import { matcher, outermost } from './match.ts';
import type { Workspace } from './workspace.ts';

/** A feature that has to be looked at, by one definition. */
export interface Demand {
  /** `base`: the definition before this change, where the change takes something away from it. */
  readonly definedBy: 'subject' | 'base';
  readonly content: FeatureContent;
}

/** One feature by one definition, and its evidence for the content in question. */
export interface Assessed extends Demand {
  readonly feature: Feature;
  /** The tree that has the content. */
  readonly subject: Subject;
  readonly fingerprint: Fingerprint;
  /** The files behind the fingerprint. */
  readonly entries: readonly TreeEntry[];
  readonly status: EvidenceStatus;
}

export interface Assessment {
  /** Everything the difference concerns, verified or not. */
  readonly affected: readonly Assessed[];
  /** Those without valid evidence, whose content others do not have. */
  readonly held: readonly Assessed[];
  /** By name of an affected feature, a changed file that concerns it. */
  readonly changedFiles: ReadonlyMap<string, string>;
  /** Changed files that belong to no feature. */
  readonly uncovered: readonly string[];
  readonly policy: GatePolicy;
}

/** @throws {RegistryFileError | UnknownFeatureError | DependencyCycleError | GitError} */
export async function assess(
  workspace: Workspace,
  comparison: Comparison,
  now: Date,
  snapshot: RepositorySnapshot = snapshotOf(workspace.git),
): Promise<Assessment> {
  const [changed, registries] = await Promise.all([
    loadChangedPaths(workspace, comparison, snapshot),
    loadRegistries(workspace, comparison, snapshot),
  ]);
  const { policy, subject } = registries;
  const direct = affectedFeatures(subject.features, changed);
  const others = [...subject.features.values()].filter(({ name }) => !direct.features.has(name));
  const indirect = await featuresOfChangedRecipes(workspace, comparison, others, changed, snapshot);
  const affectedNow = new Map([...direct.features, ...indirect]);
  const { demands: all, changedFiles } = demandsOf(registries, affectedNow, changed);
  const { within } = comparison;
  const isWhole = within === undefined || policy.scope === 'all';
  const demands = isWhole ? all : all.filter(({ content }) => hasFilesIn(within, content.feature));
  const part = partOf(demands);
  const known = policy.scope === 'all' ? { ...part, paths: [] } : part;
  const published = publishedTrees(workspace, comparison, known, snapshot);
  const limit = { now, maxAgeMs: policy.maxAgeMs };
  const affected = await assessContents(workspace, comparison.subject, demands, limit, snapshot);
  const unproven = affected.filter((it) => !it.status.valid);
  const held = unproven.length === 0 ? [] : withoutPublished(unproven, await published());
  return {
    affected,
    held,
    changedFiles,
    uncovered: isWhole
      ? direct.uncovered
      : direct.uncovered.filter((path) => within.some((it) => isWithin(it, path))),
    policy,
  };
}

/** Whether a pattern of the feature may match one of the files, or a file in one of the folders. */
function hasFilesIn(paths: readonly string[], { files }: Feature): boolean {
  const { bases } = matcher(files);
  return paths.some((path) => bases.some((it) => isWithin(path, it) || isWithin(it, path)));
}

/** The evidence of some features for the content of a tree, whether it has changed or not. */
export async function assessContents(
  workspace: Workspace,
  subject: Subject,
  demands: readonly Demand[],
  limit: AgeLimit,
  snapshot: RepositorySnapshot = snapshotOf(workspace.git),
): Promise<Assessed[]> {
  const tree = await loadTree(workspace, subject, partOf(demands), snapshot);
  const contents = demands.map((demand) => {
    const entries = demand.content.entriesIn(tree);
    const fingerprint = demand.content.fingerprint(entries);
    return { ...demand, feature: demand.content.feature, subject, fingerprint, entries };
  });
  const recordsAbout = await recordsOf(workspace, contents);
  return contents.map((it) => ({
    ...it,
    status: evidenceStatus(recordsAbout(it.fingerprint), limit),
  }));
}

/** The same for features by name, as the registry of the tree defines them. */
export function assessNamed(
  workspace: Workspace,
  subject: Subject,
  { names, features }: { readonly names: Iterable<string>; readonly features: Registry },
  limit: AgeLimit,
): Promise<Assessed[]> {
  const demands = [...names].map((name) => demand('subject', name, features));
  return assessContents(workspace, subject, demands, limit);
}

/** A changed file that concerns a feature; where all have to be verified, it need not have changed. */
export function changedFileOf(
  { changedFiles }: Pick<Assessment, 'changedFiles'>,
  { feature, entries }: Assessed,
): string {
  return changedFiles.get(feature.name) ?? entries[0]?.path ?? '';
}

/**
 * Which features, by which definitions, a change has to have evidence for.
 *
 * @param features those of the subject that the change concerns, each with a changed file.
 */
function demandsOf(
  { subject, weakened, policy }: Registries,
  features: Affected['features'],
  changed: readonly string[],
): { demands: Demand[] } & Pick<Assessment, 'changedFiles'> {
  const all = policy.scope === 'all';
  const wanted = [...(all ? subject.features : features).keys()].sort();
  const demands = wanted.map((name) => demand('subject', name, subject.features));
  const changedFiles = new Map(features);
  for (const before of weakened) {
    if (before.names.length === 0) continue;
    const concerned = affectedFeatures(before.features, changed).features;
    for (const [name, path] of concerned) if (!features.has(name)) changedFiles.set(name, path);
    const names = all ? before.names : before.names.filter((name) => concerned.has(name));
    demands.push(...names.map((name) => demand('base', name, before.features)));
  }
  return { demands, changedFiles };
}

function demand(definedBy: Demand['definedBy'], name: string, registry: Registry): Demand {
  return { definedBy, content: featureContent(name, registry) };
}

/** What has to be known of a tree to tell the fingerprints of some contents. */
export function partOf(demands: readonly Pick<Demand, 'content'>[]): TreePart {
  return {
    paths: outermost(demands.flatMap(({ content }) => content.bases)),
    smoke: demands.flatMap(({ content }) => content.smoke),
  };
}

/** By one definition, equal entries have an equal fingerprint. */
function withoutPublished(unproven: readonly Assessed[], trees: Trees): Assessed[] {
  return unproven.filter(
    ({ content, entries }) => !trees.some((tree) => areEqual(content.entriesIn(tree), entries)),
  );
}
