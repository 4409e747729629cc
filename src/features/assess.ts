/**
 * Computes what is held: compares a tree with what others already have and asks, for each feature that the difference
 * concerns, whether there is valid evidence for exactly this content. Reads first (`comparison.ts`), then computes.
 */

import { type Feature, REGISTRY_FILE } from '../base/config/feature.ts';
import type { GatePolicy } from '../base/config/policy.ts';
import { differingPaths, isWithin, type TreeEntry, withinAny } from '../base/git/tree-entry.ts';
import { mapInTurns } from '../base/turns.ts';
import { type Affected, affectedFeatures } from './affected.ts';
import { lackingIn } from './besides.ts';
import {
  type Comparison,
  type Look,
  loadChangedPaths,
  loadRegistries,
  publishedCommits,
  type Registries,
  type Subject,
} from './comparison.ts';
import { type Content, contentsIn, mayDifferBy } from './contents.ts';
import {
  type AgeLimit,
  type EvidenceStatus,
  evidenceStatus,
  recordsOf,
} from './evidence-status.ts';
import { type FeatureContent, featureContent, type Registry } from './fingerprint.ts';
import { filesOf } from './match.ts';
import { countsFor } from './never-counts.ts';

export interface Demand {
  /** `base`: the definition before this change, where the change takes something away from it. */
  readonly definedBy: 'subject' | 'base';
  readonly content: FeatureContent;
}

/** One feature by one definition, and its evidence for the content in question. */
export interface Assessed extends Demand, Content {
  readonly feature: Feature;
  readonly subject: Subject;
  readonly status: EvidenceStatus;
}

export interface Assessment {
  /** Everything the difference concerns, verified or not. */
  readonly affected: readonly Assessed[];
  /** The affected features without valid evidence whose content others do not have. */
  readonly held: readonly Assessed[];
  /** A changed file for each affected feature, by its name. */
  readonly changedFiles: ReadonlyMap<string, string>;
  readonly uncovered: readonly string[];
  readonly policy: GatePolicy;
  readonly registries: Registries;
}

export async function assess(look: Look, comparison: Comparison, now: Date): Promise<Assessment> {
  const [changed, registries] = await Promise.all([
    loadChangedPaths(look, comparison),
    loadRegistries(look, comparison),
  ]);
  const { policy, subject } = registries;
  const direct = affectedFeatures(subject.features, changed);
  const mayDiffer = mayDifferBy(changed);
  const others = [...subject.features.values()]
    .filter((it) => !direct.features.has(it.name) && mayDiffer(it, it.rest === true))
    .map(({ name }) => featureContent(name, subject.features));
  const indirect = await changedOtherwise(look, comparison, others);
  const affectedNow = new Map([...direct.features, ...indirect]);
  const { demands: all, changedFiles } = demandsOf(registries, affectedNow, changed);
  const { within } = comparison;
  const isWhole = within === undefined || policy.scope === 'all';
  const demands = isWhole ? all : all.filter(({ content }) => hasFilesIn(within, content.feature));
  const limit = { now, maxAgeMs: policy.maxAgeMs };
  const affected = await assessContents(look, comparison.subject, demands, limit);
  const unproven = affected.filter((it) => !it.status.valid);
  const held =
    policy.scope === 'all' ? unproven : await withoutPublished(look, comparison, unproven);
  return {
    affected,
    held,
    changedFiles,
    uncovered: direct.uncovered.filter(
      (path) =>
        (isWhole || within.some((it) => isWithin(it, path))) &&
        path !== REGISTRY_FILE &&
        (policy.uncovered === 'hold' || countsFor(path)),
    ),
    policy,
    registries,
  };
}

/** Features whose content differs from the base although none of their files does, each with a path that differs. */
async function changedOtherwise(
  look: Look,
  { subject, base }: Comparison,
  features: readonly FeatureContent[],
): Promise<ReadonlyMap<string, string>> {
  // Without a base everything is new, and so is each feature that has files.
  if (base === undefined || features.length === 0) return new Map();
  const [now, before] = await Promise.all([
    contentsIn(look, subject, features),
    contentsIn(look, { kind: 'revision', oid: base }, features),
  ]);
  const found = await mapInTurns(features, async ({ feature }, at) => {
    const [own, its] = [now[at], before[at]] as [Content, Content];
    if (own.fingerprint === its.fingerprint) return [];
    const [path = '.'] = differingPaths(await own.entries(), await its.entries());
    return [[feature.name, path] as const];
  });
  return new Map(found.flat());
}

/** True if the feature has no file left. A definition that the change removes may have none. */
export function hasNoFiles(
  { definedBy, feature }: Pick<Assessed, 'definedBy' | 'feature'>,
  entries: readonly TreeEntry[],
): boolean {
  const { bases, matches } = filesOf(feature);
  const isNear = withinAny(bases);
  const isOwn = ({ path }: TreeEntry) => isNear(path) && matches(path);
  return definedBy === 'subject' && !feature.rest && !entries.some(isOwn);
}

/** Whether a pattern of the feature may match one of the files, or a file in one of the folders. */
function hasFilesIn(paths: readonly string[], feature: Feature): boolean {
  const { bases } = filesOf(feature);
  return paths.some((path) => bases.some((it) => isWithin(path, it) || isWithin(it, path)));
}

/** The evidence of some features for the content of a tree, whether it has changed or not. */
export async function assessContents(
  look: Look,
  subject: Subject,
  demands: readonly Demand[],
  limit: AgeLimit,
): Promise<Assessed[]> {
  const contents = await contentsIn(
    look,
    subject,
    demands.map(({ content }) => content),
  );
  const items = demands.map((demand, at) => {
    return { ...demand, ...(contents[at] as Content), feature: demand.content.feature, subject };
  });
  const recordsAbout = await recordsOf(look, items);
  const records = items.map(({ fingerprint }) => recordsAbout(fingerprint));
  const besides = records.flat().flatMap((it) => it.besides);
  const lacked = await lackingIn(look, subject, besides);
  return mapInTurns(items, (it, at) => {
    return { ...it, status: evidenceStatus(records[at] ?? [], limit, lacked) };
  });
}

/** The evidence of named features, as the registry of the tree defines them. */
export function assessNamed(
  look: Look,
  subject: Subject,
  { names, features }: { readonly names: Iterable<string>; readonly features: Registry },
  limit: AgeLimit,
): Promise<Assessed[]> {
  const demands = [...names].map((name) => demand('subject', name, features));
  return assessContents(look, subject, demands, limit);
}

/** A changed file that concerns a feature; if every feature has to be verified, a folder in which it has files. */
export function changedFileOf(
  { changedFiles }: Pick<Assessment, 'changedFiles'>,
  { feature, content }: Assessed,
): string {
  return changedFiles.get(feature.name) ?? (content.bases[0] || '.');
}

/**
 * The features, by which definitions, for which a change needs evidence.
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

/** Leaves out features whose content others have: under one definition, equal content has an equal fingerprint. */
async function withoutPublished(
  look: Look,
  comparison: Comparison,
  unproven: readonly Assessed[],
): Promise<readonly Assessed[]> {
  const without = async (assessed: readonly Assessed[], oids: readonly string[]) => {
    if (assessed.length === 0) return assessed;
    const contents = assessed.map(({ content }) => content);
    const published = await Promise.all(
      oids.map((oid) => contentsIn(look, { kind: 'revision', oid }, contents)),
    );
    return assessed.filter(
      ({ fingerprint }, at) => !published.some((it) => it[at]?.fingerprint === fingerprint),
    );
  };
  const left = await without(unproven, publishedCommits(comparison));
  return left.length === 0 ? left : without(left, (await comparison.alsoPublished?.()) ?? []);
}
