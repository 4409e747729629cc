/**
 * What an assessment is computed from: the tree that leaves and what it is compared with, read
 * from git and the store. Everything that reads a repository for an assessment is in here.
 */
import { REGISTRY_FILE, type SmokeTest } from '../base/config/feature.ts';
import { type GatePolicy, stricter } from '../base/config/policy.ts';
import type { Git } from '../base/git/git.ts';
import { folderTree, projectText } from '../base/git/project-files.ts';
import {
  type RepositorySnapshot,
  type StatusEntry,
  snapshotOf,
  snapshotTaking,
} from '../base/git/repository-snapshot.ts';
import { nextCommitTree, worktreeTree } from '../base/git/tree.ts';
import type { TreeEntry } from '../base/git/tree-entry.ts';
import { changedBetween, treeAt } from '../base/git/tree-objects.ts';
import { coversAtLeast } from './affected.ts';
import type { Registry } from './fingerprint.ts';
import { linkedEntries } from './linked.ts';
import { mayNameRecipe } from './recipe-files.ts';
import { type ProjectRegistry, registryReader } from './registry.ts';
import type { Workspace } from './workspace.ts';

/** A workspace during one decision: what is read of its repository stays the same. */
export interface Look extends Workspace {
  readonly snapshot: RepositorySnapshot;
}

/** @param at given when a session starts. */
export const lookAt = (workspace: Workspace, at?: 'session-start'): Look => {
  return { ...workspace, snapshot: snapshotOf(workspace.git, at) };
};

/** The tree that leaves, or would. */
export type Subject =
  | { readonly kind: 'revision'; readonly oid: string }
  /** The next commit: what is staged, and the changes that the commit adds. */
  | { readonly kind: 'commit'; readonly takes: (change: StatusEntry) => boolean }
  | { readonly kind: 'worktree' };

export interface Comparison {
  readonly subject: Subject;
  /** The commit that the difference is taken from; `undefined` when others have nothing yet. */
  readonly base: string | undefined;
  /** Other commits that others have: content equal to theirs is already there, and does not leave. */
  readonly published: readonly string[];
  /** More of these commits, asked for only if something would be held. */
  readonly alsoPublished?: () => Promise<readonly string[]>;
  /** More commits whose registry counts, beside the base and what is published: a user's branch may be unreviewed. */
  readonly reviewed?: readonly string[];
  /** The ref that would change, if a push is compared. */
  readonly push?: PushedRef;
  /** The remote of a push whose remote-tracking refs do not count, because nothing shows that they come from it. */
  readonly doubted?: string;
  /** The addresses that a push goes to, in their shortest spelling. */
  readonly sentTo?: readonly string[];
  /** Only these paths leave, relative to the root: features without files there do not count. */
  readonly within?: readonly string[] | undefined;
}

export interface PushedRef {
  /** Name of the remote, or its address if it has none. */
  readonly remote: string;
  /** Full name of the local ref, or what was written in its place. */
  readonly source: string;
  /** Full name of the ref at the remote. */
  readonly destination: string;
}

/** Definitions of others that the tree narrows or removes: they count as well. */
export interface Weakened {
  readonly names: readonly string[];
  readonly features: Registry;
}

export interface Registries {
  readonly subject: ProjectRegistry;
  readonly weakened: readonly Weakened[];
  readonly ofOthers: ReadonlySet<string>;
  /** The strictest policy that others have: a change is not judged by the policy that it loosens. */
  readonly policy: GatePolicy;
}

/** The base, and other commits that others have or have reviewed, each once. */
export function commitsOfOthers({ base, published, reviewed = [] }: Omit<Comparison, 'subject'>) {
  return [...new Set([base, ...published, ...reviewed].filter((it) => it !== undefined))];
}

/**
 * Reads the registry of the tree that leaves, of its base, and of the default branch. If none of them has one, that of
 * the working tree counts: somebody has made it, and only its commit is missing.
 */
export async function loadRegistries(look: Look, comparison: Comparison): Promise<Registries> {
  const { subject, base } = comparison;
  const { snapshot } = look;
  const revision = look.git === undefined ? [] : await registryRevision(subject, snapshot);
  const known = commitsOfOthers(comparison);
  const texts = await snapshot.texts(REGISTRY_FILE, [...known, ...revision]);
  const read = await registryReader(look);
  const where = subject.kind === 'revision' ? subject.oid.slice(0, 12) : 'the index';
  const isCommitted = texts.some((it) => it !== undefined);
  const own =
    revision.length === 0 || !isCommitted
      ? await read.worktree()
      : await read.revision(texts.at(-1), `lanehold.json in ${where}`);
  const before = await Promise.all(known.map((_, at) => read.base(texts[at])));
  const inBase = (base === undefined ? undefined : before[0]) ?? (await read.base(undefined));
  const weakened = [weakenedBy(own.features, inBase.features)];
  for (const [at, { features }] of before.entries()) {
    const missed = weakenedBy(inBase.features, features).names;
    const { names } = weakenedBy(own.features, features);
    if (!names.some((name) => missed.includes(name))) continue;
    const tip = known[at] as string;
    const left = await registryLeft(look, { subject, tip, features }, read);
    const still = weakenedBy(own.features, left).names;
    weakened.push({
      names: names.filter((name) => missed.includes(name) && still.includes(name)),
      features: left,
    });
  }
  return {
    subject: own,
    weakened,
    ofOthers: new Set(
      before.flatMap(({ features, local }) => [...features.keys()].filter((it) => !local.has(it))),
    ),
    policy: before.map((it) => it.policy).reduce(stricter, own.policy),
  };
}

function weakenedBy(after: Registry, before: Registry): Weakened {
  const names = [...before.values()].flatMap((it) => {
    const next = after.get(it.name);
    return next === undefined || !coversAtLeast(next, it) ? [it.name] : [];
  });
  return { names, features: before };
}

/** The registry at the fork from a default branch: what that branch got later is not removed by the tree. */
async function registryLeft(
  { git, snapshot }: Look,
  { subject, tip, features }: { subject: Subject; tip: string; features: Registry },
  read: Awaited<ReturnType<typeof registryReader>>,
): Promise<Registry> {
  const commit = subject.kind === 'revision' ? subject.oid : (await snapshot.status()).head;
  if (git === undefined || commit === undefined) return features;
  const fork = (await git.maybe(['merge-base', commit, tip]))?.trim();
  if (fork === undefined || fork === tip) return features;
  const [text] = await snapshot.texts(REGISTRY_FILE, [fork]);
  return (await read.base(text)).features;
}

/** The revision that holds a tree's registry, as git names it: `''` is the index; `undefined`: a file. */
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

export async function policyAt(workspace: Workspace, comparison: Comparison): Promise<GatePolicy> {
  return (await loadRegistries(lookAt(workspace), comparison)).policy;
}

export async function subjectRegistry(
  workspace: Workspace,
  subject: Subject,
): Promise<ProjectRegistry> {
  const comparison = { subject, base: undefined, published: [] };
  return (await loadRegistries(lookAt(workspace), comparison)).subject;
}

export async function loadChangedPaths(
  { git, place, snapshot }: Look,
  { subject, base }: Comparison,
): Promise<string[]> {
  if (git === undefined) return (await folderTree(place.root, [''])).map((entry) => entry.path);
  if (subject.kind === 'revision') return committedPaths(git, base, subject.oid);
  const seen = subject.kind === 'commit' ? snapshotTaking(snapshot, subject.takes) : snapshot;
  const { head, changes } = await seen.status();
  const committed = await committedPaths(git, base, head);
  return [...new Set([...committed, ...changes.map((change) => change.path)])];
}

/** The changed paths that are committed. Without a base all is new; before the first commit, nothing is committed. */
async function committedPaths(
  git: Git,
  base: string | undefined,
  head: string | undefined,
): Promise<string[]> {
  if (head === undefined || base === head) return [];
  return changedBetween(git, base ?? emptyTree(head), head);
}

export interface TreePart {
  /** Folders or files; `['']` is everything. */
  readonly paths: readonly string[];
  /** Smoke tests whose recipes are needed. */
  readonly smoke: readonly SmokeTest[];
}

/** The entries of a tree: its files, and recipes of smoke tests. */
export async function loadTree(
  look: Look,
  subject: Subject,
  { paths, smoke }: TreePart,
): Promise<readonly TreeEntry[]> {
  const [files, recipes] = await Promise.all([
    loadFiles(look, subject, paths),
    loadRecipes(look, subject, smoke),
  ]);
  const linked = paths.includes('') ? await linkedEntries(look.git, look.place.root, files) : [];
  return recipes.length + linked.length === 0 ? files : [...files, ...recipes, ...linked];
}

function loadFiles(
  { git, place, snapshot }: Look,
  subject: Subject,
  paths: readonly string[],
): Promise<readonly TreeEntry[]> {
  if (git === undefined) return folderTree(place.root, paths);
  switch (subject.kind) {
    case 'revision':
      return treeAt(git, subject.oid, paths);
    case 'commit':
      return nextCommitTree(git, place.root, paths, snapshotTaking(snapshot, subject.takes));
    case 'worktree':
      return worktreeTree(git, place.root, paths, snapshot);
  }
}

async function loadRecipes(
  look: Look,
  subject: Subject,
  smoke: readonly SmokeTest[],
): Promise<readonly TreeEntry[]> {
  const tests = smoke.filter(({ command }) => mayNameRecipe(command));
  if (tests.length === 0) return [];
  const { recipeEntries } = await import('./recipe.ts');
  return recipeEntries(tests, (paths) => loadTexts(look, subject, paths));
}

/** The texts of the tree's files. The index has what is staged, and what is unchanged. */
async function loadTexts(
  { git, place: { root }, snapshot }: Look,
  subject: Subject,
  paths: readonly string[],
): Promise<readonly (string | undefined)[]> {
  if (git === undefined) return paths.map((path) => projectText(root, path));
  if (subject.kind === 'revision') return snapshot.textsIn(subject.oid, paths);
  const seen = subject.kind === 'commit' ? snapshotTaking(snapshot, subject.takes) : snapshot;
  const [{ changes }, staged] = await Promise.all([seen.status(), snapshot.textsIn('', paths)]);
  const inWorktree = new Set(changes.filter((it) => it.inWorktree).map(({ path }) => path));
  return paths.map((path, at) => (inWorktree.has(path) ? projectText(root, path) : staged[at]));
}

/** Commits that others have, and that may have the same content by another way. */
export function publishedCommits({ base, published, subject }: Comparison): string[] {
  // A file that changed between two commits has a changed fingerprint. A file of the working tree may
  // have been changed in a commit and changed back since.
  return commitsOfOthers({ base, published }).filter(
    (oid) => subject.kind !== 'revision' || oid !== base,
  );
}

/** The empty tree, which every repository knows without storing it, by SHA-256 or SHA-1. */
const emptyTree = (oidOfThisRepository: string): string =>
  oidOfThisRepository.length === 64
    ? '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'
    : '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
