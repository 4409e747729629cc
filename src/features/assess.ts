/**
 * What is held back? Compares a tree with what others already have and asks, for each feature that
 * the difference concerns, whether there is valid evidence for exactly this content.
 */

import { type Feature, REGISTRY_FILE } from '../config/feature.ts';
import { type GatePolicy, stricter } from '../config/policy.ts';
import { ExplainedError } from '../errors.ts';
import { recordsOf } from '../evidence/shared.ts';
import { type AgeLimit, type EvidenceStatus, evidenceStatus } from '../evidence/status.ts';
import { folderTree } from '../git/project-files.ts';
import { type RepositorySnapshot, snapshotOf, snapshotTaking } from '../git/repository-snapshot.ts';
import type { Change } from '../git/status.ts';
import { nextCommitTree, treeAt, worktreeTree } from '../git/tree.ts';
import type { TreeEntry } from '../git/tree-entry.ts';
import { affectedFeatures, coversAtLeast } from './affected.ts';
import {
  type FeatureContent,
  type Fingerprint,
  featureContent,
  type Registry,
} from './fingerprint.ts';
import { outermost } from './match.ts';
import { type ProjectRegistry, revisionRegistry, worktreeRegistry } from './registry.ts';
import type { Workspace } from './workspace.ts';

/** The tree that leaves, or would. */
export type Subject =
  | { readonly kind: 'revision'; readonly oid: string }
  /** The next commit: what is staged, and the changes that it takes besides. */
  | { readonly kind: 'commit'; readonly takes: (change: Change) => boolean }
  | { readonly kind: 'worktree' };

export interface Comparison {
  readonly subject: Subject;
  /** What the difference is taken from; `undefined` when others have nothing yet. */
  readonly base: string | undefined;
  /** Other commits that others have: content equal to theirs does not leave, it is there. */
  readonly published: readonly string[];
  /**
   * More commits whose policy counts, beside the base and what is published: a branch of one's own
   * need not have been reviewed.
   */
  readonly reviewed?: readonly string[];
}

/** One feature by one definition, and where it stands for the content in question. */
export interface Assessed {
  readonly feature: Feature;
  /** `base`: the definition before this change, where the change takes something away from it. */
  readonly definedBy: 'subject' | 'base';
  readonly content: FeatureContent;
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
  /** Changed files that belong to no feature. */
  readonly uncovered: readonly string[];
  readonly policy: GatePolicy;
}

/** An object that every repository knows without storing it. */
const EMPTY_TREE = {
  sha1: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  sha256: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
};

/** @throws {RegistryFileError | UnknownFeatureError | DependencyCycleError | GitError} */
export async function assess(
  workspace: Workspace,
  comparison: Comparison,
  now: Date,
  snapshot: RepositorySnapshot = snapshotOf(workspace.git),
): Promise<Assessment> {
  const [changed, { subject, base, policy }] = await Promise.all([
    changedFiles(workspace, comparison, snapshot),
    registries(workspace, comparison, snapshot),
  ]);
  const { uncovered, names } = affectedFeatures(subject.features, changed);
  const wanted = policy.scope === 'all' ? [...subject.features.keys()].sort() : names;
  const demands: Demand[] = wanted.map((name) => ({
    definedBy: 'subject',
    content: featureContent(name, subject.features),
  }));
  const weakened = narrowed(base.features, subject.features);
  const concerned =
    policy.scope === 'all' ? weakened : affectedOf(weakened, base.features, changed);
  for (const name of concerned) {
    demands.push({ definedBy: 'base', content: featureContent(name, base.features) });
  }

  const { maxAgeMs } = policy;
  const limit = { now, maxAgeMs };
  const published =
    policy.scope === 'all' ? NOTHING : publishedTrees(workspace, comparison, demands);
  const affected = await assessContents(workspace, comparison.subject, demands, limit, snapshot);
  const unproven = affected.filter((it) => !it.status.valid);
  const held = unproven.length === 0 ? [] : withoutPublished(unproven, await published());
  return { affected, held, uncovered, policy };
}

/** The policy that a comparison is judged by. */
export async function policyAt(workspace: Workspace, comparison: Comparison): Promise<GatePolicy> {
  return (await registries(workspace, comparison, snapshotOf(workspace.git))).policy;
}

export interface Demand {
  readonly definedBy: Assessed['definedBy'];
  readonly content: FeatureContent;
}

/** Where some features stand for the content of a tree, whether it has changed or not. */
export async function assessContents(
  workspace: Workspace,
  subject: Subject,
  demands: readonly Demand[],
  limit: AgeLimit,
  snapshot: RepositorySnapshot = snapshotOf(workspace.git),
): Promise<Assessed[]> {
  const scope = outermost(demands.flatMap(({ content }) => content.bases));
  const tree = await treeOf(workspace, subject, scope, snapshot);
  const contents = demands.map(({ content, definedBy }) => {
    const entries = content.entriesIn(tree);
    const fingerprint = content.fingerprint(entries);
    return { feature: content.feature, definedBy, content, fingerprint, entries };
  });
  const recordsAbout = await recordsOf(workspace, contents);
  return contents.map((it) => ({
    ...it,
    status: evidenceStatus(recordsAbout(it.fingerprint), limit),
  }));
}

/** @param scope folders or files to list; `['']` is everything. */
export function treeOf(
  { git, place }: Workspace,
  subject: Subject,
  scope: readonly string[],
  snapshot: RepositorySnapshot = snapshotOf(git),
): Promise<readonly TreeEntry[]> {
  if (git === undefined) return folderTree(place.root, scope);
  switch (subject.kind) {
    case 'revision':
      return treeAt(git, subject.oid, scope);
    case 'commit':
      return nextCommitTree(git, place.root, scope, snapshotTaking(snapshot, subject.takes));
    case 'worktree':
      return worktreeTree(git, place.root, scope, snapshot);
  }
}

async function changedFiles(
  workspace: Workspace,
  { subject, base }: Comparison,
  snapshot: RepositorySnapshot,
): Promise<string[]> {
  const { git, place } = workspace;
  if (git === undefined) return (await folderTree(place.root, [''])).map((entry) => entry.path);
  if (subject.kind === 'revision') {
    return [...(await snapshot.changedBetween(base ?? emptyTree(subject.oid), subject.oid))];
  }
  const seen = subject.kind === 'commit' ? snapshotTaking(snapshot, subject.takes) : snapshot;
  const { head, changes } = await seen.status();
  const committed = await committedPaths({ base, head }, snapshot);
  return [...new Set([...committed, ...changes.map((change) => change.path)])];
}

/** Without a base everything is new; before the first commit nothing is committed. */
async function committedPaths(
  { base, head }: { base: string | undefined; head: string | undefined },
  snapshot: RepositorySnapshot,
): Promise<readonly string[]> {
  if (head === undefined || base === head) return [];
  return snapshot.changedBetween(base ?? emptyTree(head), head);
}

interface Registries {
  readonly subject: ProjectRegistry;
  readonly base: ProjectRegistry;
  /** The strictest of what they ask for: no change loosens what it is judged by. */
  readonly policy: GatePolicy;
}

/** What leaves brings its registry; the one it is compared with counts, too. */
async function registries(
  workspace: Workspace,
  comparison: Comparison,
  snapshot: RepositorySnapshot,
): Promise<Registries> {
  const { git } = workspace;
  const { subject, base, published, reviewed = [] } = comparison;
  if (git === undefined) {
    const own = await worktreeRegistry(workspace);
    return { subject: own, base: await baseRegistry(workspace, undefined), policy: own.policy };
  }
  const revision = await registryRevision(subject, snapshot);
  const known = [...new Set([...(base === undefined ? [] : [base]), ...published, ...reviewed])];
  const texts = await snapshot.texts(REGISTRY_FILE, [...known, ...revision]);
  const own =
    revision.length === 0
      ? await worktreeRegistry(workspace)
      : await revisionRegistry(workspace, texts.at(-1), nameOf(subject));
  const before = await Promise.all(known.map((_, at) => baseRegistry(workspace, texts[at])));
  return {
    subject: own,
    base:
      (base === undefined ? undefined : before[0]) ?? (await baseRegistry(workspace, undefined)),
    policy: before.map((it) => it.policy).reduce(stricter, own.policy),
  };
}

/** The registry that belongs to a tree. */
export async function subjectRegistry(
  workspace: Workspace,
  subject: Subject,
): Promise<ProjectRegistry> {
  const comparison = { subject, base: undefined, published: [] };
  return (await registries(workspace, comparison, snapshotOf(workspace.git))).subject;
}

/** Where the registry of a tree stands, as git names it: `''` is the index; none, a file. */
async function registryRevision(
  subject: Subject,
  snapshot: RepositorySnapshot,
): Promise<readonly string[]> {
  switch (subject.kind) {
    case 'worktree':
      return [];
    case 'revision':
      return [subject.oid];
    case 'commit': {
      const { changes } = await snapshotTaking(snapshot, subject.takes).status();
      const taken = changes.some((it) => it.path === REGISTRY_FILE && it.inWorktree);
      return taken ? [] : [''];
    }
  }
}

function nameOf(subject: Subject): string {
  return `lanehold.json in ${subject.kind === 'revision' ? subject.oid.slice(0, 12) : 'the index'}`;
}

/**
 * A base that cannot be read holds nothing: it is out already, and the change at hand may be the
 * one that repairs it. What leaves has to be readable. What only this machine knows counts always.
 * Where the base has no file, what its user asks for and the defaults stand in.
 */
async function baseRegistry(
  workspace: Workspace,
  text: string | undefined,
): Promise<ProjectRegistry> {
  try {
    return await revisionRegistry(workspace, text, 'lanehold.json in the base');
  } catch (error) {
    // By its code: loading the class would load the parser.
    if (!(error instanceof ExplainedError && error.code === 'REGISTRY_FILE')) throw error;
    return revisionRegistry(workspace, undefined, '');
  }
}

/** Definitions of the base that the change takes something away from: they count as well. */
function narrowed(base: Registry, subject: Registry): string[] {
  return [...base.values()].flatMap((before) => {
    const after = subject.get(before.name);
    return after === undefined || !coversAtLeast(after, before) ? [before.name] : [];
  });
}

function affectedOf(
  names: readonly string[],
  registry: Registry,
  changed: readonly string[],
): readonly string[] {
  if (names.length === 0) return [];
  const affected = new Set(affectedFeatures(registry, changed).names);
  return names.filter((name) => affected.has(name));
}

type Trees = readonly (readonly TreeEntry[])[];

const NOTHING = async (): Promise<Trees> => [];

/** What others have of some contents, by another way or from before a revert. */
function publishedTrees(
  { git }: Workspace,
  { base, published, subject }: Comparison,
  demands: readonly Demand[],
): () => Promise<Trees> {
  // Between two commits a changed file is a changed fingerprint; what lies in the working tree may
  // have been changed in a commit and changed back since.
  const comparable = base === undefined || subject.kind === 'revision' ? [] : [base];
  const oids = [...new Set([...comparable, ...published])].filter(
    (oid) => subject.kind !== 'revision' || oid !== base,
  );
  if (git === undefined || oids.length === 0 || demands.length === 0) return NOTHING;
  const scope = outermost(demands.flatMap(({ content }) => content.bases));
  const list = (): Promise<Trees> => Promise.all(oids.map((oid) => treeAt(git, oid, scope)));
  if (subject.kind === 'revision') return list;
  // Work in progress is seldom verified: git looks at both sides at once.
  const begun = list();
  // Whoever asks sees the failure; until then it is nobody's.
  begun.catch(() => undefined);
  return () => begun;
}

function withoutPublished(unproven: readonly Assessed[], trees: Trees): Assessed[] {
  return unproven.filter(
    ({ content, fingerprint }) =>
      !trees.some((tree) => content.fingerprint(content.entriesIn(tree)) === fingerprint),
  );
}

function emptyTree(oidOfThisRepository: string): string {
  return oidOfThisRepository.length === 64 ? EMPTY_TREE.sha256 : EMPTY_TREE.sha1;
}
