/** The features of a project: list, show, propose, count. */
import { withUncovered } from '../../base/config/files.ts';
import { projectPaths, projectText } from '../../base/git/project-files.ts';
import { type Assessed, assessNamed } from '../../features/assess.ts';
import { lookAt } from '../../features/comparison.ts';
import { discoverFeatures, draftOf } from '../../features/discover/discover.ts';
import { projectImports } from '../../features/discover/imports.ts';
import { MAX_LENGTH, type ProposedFeature } from '../../features/discover/manifest.ts';
import { sharedFiles } from '../../features/discover/shared-files.ts';
import { isSource } from '../../features/discover/source-tree.ts';
import { UnknownFeatureError } from '../../features/fingerprint.ts';
import { coverage, filesOf, withOthers } from '../../features/match.ts';
import { countsFor } from '../../features/never-counts.ts';
import { explain } from '../../features/reason.ts';
import { isRecipe } from '../../features/recipe-files.ts';
import { type ProjectRegistry, registryText } from '../../features/registry.ts';
import { writeRegistryFile } from '../../features/store-feature.ts';
import type { Workspace } from '../../features/workspace.ts';
import { recentChanges } from '../../recall/changes.ts';
import { evidenceStore } from '../../store/evidence.ts';
import { type AppContext, openFeatures } from '../context.ts';
import { type Tried, tryProposals } from './try-proposals.ts';
import type { Progress } from './verification.ts';

export type ListedFeature = Awaited<ReturnType<typeof listed>>;

export type FeatureState = 'verified' | 'attested' | 'waived' | 'failed' | 'not-verified';

export type FeatureList = Awaited<ReturnType<typeof listFeatures>>;

export async function listFeatures(context: AppContext) {
  const { workspace, registry } = await openFeatures(context);
  const names = [...registry.features.keys()].sort();
  const assessed = await assessedNow(context, workspace, registry, names);
  return { features: await Promise.all(assessed.map((it) => listed(it, registry))) };
}

async function listed(assessed: Assessed, registry: ProjectRegistry) {
  const { fingerprint, entries, status } = assessed;
  const { others: _, ...feature } = assessed.feature;
  const files = (await entries()).filter((it) => !isRecipe(it));
  const { matches } = filesOf(assessed.feature);
  const fileCount = files.filter(({ path }) => matches(path)).length;
  const record = status.valid ? status.by : status.last;
  return {
    ...feature,
    /** `local`: only this machine knows it. */
    origin: registry.local.has(feature.name) ? ('local' as const) : ('shared' as const),
    fingerprint,
    fileCount,
    /** The number of files in its content, those of its dependencies included. */
    contentCount: files.length,
    state: stateOf(status),
    /** The time of the record behind `state`. */
    at: record?.at ?? null,
  };
}

export function stateOf(status: Assessed['status']): FeatureState {
  if (!status.valid) return status.last?.kind === 'failed' ? 'failed' : 'not-verified';
  return status.by.kind === 'passed' ? 'verified' : status.by.kind;
}

export type ShownFeature = Awaited<ReturnType<typeof showFeature>>;

export async function showFeature(context: AppContext, name: string) {
  const { workspace, registry } = await openFeatures(context);
  const [assessed] = await assessedNow(context, workspace, registry, [name]);
  if (assessed === undefined) throw new UnknownFeatureError(name, [...registry.features.keys()]);
  const { status, entries } = assessed;
  const paths = [...new Set((await entries()).map(({ path }) => path))];
  const limit = { now: context.now(), maxAgeMs: registry.policy.maxAgeMs };
  const [explained] = await explain(lookAt(workspace), { kind: 'worktree' }, [assessed], limit);
  return {
    ...(await listed(assessed, registry)),
    evidence: status.valid ? { kind: status.by.kind, at: status.by.at } : null,
    reason: status.valid ? null : (explained?.reason ?? null),
    /** Paths of its content: dependencies, and files that say how its tests run, included. */
    paths,
  };
}

function assessedNow(
  { now }: AppContext,
  workspace: Workspace,
  registry: ProjectRegistry,
  names: readonly string[],
): Promise<Assessed[]> {
  const { features, policy } = registry;
  const limit = { now: now(), maxAgeMs: policy.maxAgeMs };
  return assessNamed(lookAt(workspace), { kind: 'worktree' }, { names, features }, limit);
}

export type DiscoveredFeatures = Awaited<ReturnType<typeof proposeFeatures>>;

interface ProposalWish {
  readonly write: boolean;
  /** Runs the smoke tests of the new features first; an aborted signal writes nothing. */
  readonly trying?: Progress | undefined;
}

/** Proposes features from the structure of the project, and from the results of its tests. */
export async function proposeFeatures(context: AppContext, { write, trying }: ProposalWish) {
  const { workspace, registry } = await openFeatures(context);
  const { place } = workspace;
  const paths = await projectPaths(workspace.git, place);
  const readFile = (path: string) => projectText(place.root, path, MAX_LENGTH);
  const { imports, unread } = projectImports({ paths, readFile });
  const found = discoverFeatures({ paths, readFile, imports });
  const before = registryText(place);
  const drafted = (some: readonly ProposedFeature[]) =>
    draftOf(some, registry.features, before, sharedFiles(paths));
  const first = drafted(found);
  const { proposals, tried }: Tried =
    trying === undefined || first.text === undefined
      ? { proposals: found, tried: [] }
      : await tryProposals(context, workspace, { proposals: found, drafted }, trying);
  const draft = proposals === found ? first : drafted(proposals);
  const isUnproven = tried.some((it) => it.fate === 'not-proposed');
  const untested = found.length === 0 && paths.some((it) => isSource(it) && countsFor(it));
  // A person decides about files of no feature, unless the file already has a policy.
  const asking = untested || isUnproven ? withUncovered(draft.text ?? before, 'ask') : undefined;
  const text = asking ?? draft.text;
  const { byFeature } = coverage(proposals, paths);
  const changes = await recentChanges(workspace);
  const written = write && text !== undefined && trying?.signal.aborted !== true;
  if (written) writeRegistryFile(workspace, text);
  return {
    proposed: proposals.map((it, at) => ({
      ...it,
      fileCount: byFeature[at]?.files ?? 0,
      /** The number of recent commits that changed one of its files. */
      changes: changes.touching(filesOf(withOthers(proposals)[at] ?? it).matches),
    })),
    /** The number of commits in which changes are counted. */
    commits: changes.commits,
    /** Names that were written to lanehold.json, and those that the project already has. */
    added: written ? draft.added : [],
    kept: draft.kept,
    /** Files that will count for every feature, as `gate.always`; none if the project already lists some. */
    always: draft.always,
    /** The result of each new feature's smoke test, if they were run. */
    tried,
    /** The new value of `gate.uncovered`, if the whole suite is no proof now. */
    uncovered: asking === undefined ? null : ('ask' as const),
    /** There is source here, and no known way to test it. */
    untested,
    /** The number of source files that were not read for imports. */
    unread,
    /** Text of lanehold.json with the new features. */
    draft: text ?? before ?? null,
  };
}

export type FeatureCoverage = Awaited<ReturnType<typeof featureCoverage>>;

const EVERY_FEATURE = { name: 'gate.always', description: '', smoke: [], dependsOn: [] };

export async function featureCoverage(context: AppContext) {
  const { workspace, registry } = await openFeatures(context);
  const paths = await projectPaths(workspace.git, workspace.place);
  const features = [...registry.features.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const always = { ...EVERY_FEATURE, files: registry.policy.always };
  const { byFeature, ...result } = coverage([...withOthers(features), always], paths);
  return {
    total: result.covered + result.uncovered.length,
    ...result,
    byFeature: byFeature.slice(0, -1),
    /** The number of files that count for every feature, as `gate.always`. */
    always: byFeature.at(-1)?.files ?? 0,
    /** One feature has every other file that counts. */
    hasRest: features.some(({ rest }) => rest),
  };
}

export type FeatureHistory = Awaited<ReturnType<typeof featureHistory>>;

/** The records of a feature, newest first. @throws {UnknownFeatureError} if there never was such a feature. */
export async function featureHistory(context: AppContext, name: string, limit: number) {
  const { workspace, registry } = await openFeatures(context);
  const records = evidenceStore(workspace.store).ofFeature(workspace.projectId, name, limit);
  if (records.length === 0 && !registry.features.has(name)) {
    throw new UnknownFeatureError(name, [...registry.features.keys()]);
  }
  return { feature: name, records };
}
