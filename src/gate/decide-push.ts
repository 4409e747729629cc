/** The gate's answer to a push that git is about to make: exact refs, no command to read. */
import { REGISTRY_FILE } from '../base/config/feature.ts';
import { isInside } from '../base/files/inside.ts';
import type { Git } from '../base/git/git.ts';
import { blobsAt } from '../base/git/paths.ts';
import type { ProjectPlace } from '../base/git/project.ts';
import type { Refs } from '../base/git/refs.ts';
import { addressesOf, trackingRefs } from '../base/git/remotes.ts';
import { type Comparison, lookAt } from '../features/comparison.ts';
import { hasFeaturesHere } from '../features/registry.ts';
import { type Workspace, workspaceOn } from '../features/workspace.ts';
import type { Store } from '../store/open.ts';
import {
  believed,
  defaultTips,
  forUpdates,
  NOTHING_EARLIER,
  noteLetThrough,
  withOrigin,
} from './compare.ts';
import { contentComparisons, contentOf, type ProjectContent } from './content-of.ts';
import { OwnProcessNeeded } from './errors.ts';
import { type Push, type PushReading, readPush, sendsNothing } from './git/read-push.ts';
import type { Hold } from './hold.ts';
import { assertTakenOver } from './moved.ts';
import { commitsAsked, contentsAsked, takeQuestions } from './questions.ts';

export type PushAnswer =
  /** Nothing leaves, or there is no feature that could be held. */
  | { readonly kind: 'none' }
  | {
      readonly kind: 'judged';
      readonly hold: Hold;
      readonly workspace: Workspace;
      /** A person was asked about exactly these commits. */
      readonly agreed: boolean;
    }
  | { readonly kind: 'unknown'; readonly error: unknown };

interface PushCaller {
  readonly place: ProjectPlace;
  /** Runs git at the root of the place. */
  readonly git: Git;
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => Date;
  readonly store: () => Promise<Store>;
  /** The store, or `undefined` if there is no database yet. */
  readonly storeIfAny: () => Promise<Store | undefined>;
  /** The commits that the remote says it has, as far as they are here too; `undefined` if it does not answer. */
  readonly askRemote: () => Promise<ReadonlySet<string> | undefined>;
}

/** A project without features is left alone, even if the push is unreadable. Otherwise unknown is an answer. */
export async function decidePush(push: Push, caller: PushCaller): Promise<PushAnswer> {
  if (sendsNothing(push)) return { kind: 'none' };
  try {
    const { git, env } = caller;
    const reading = readPush(push, git);
    // The promise is awaited later; without a handler an early failure would end the process.
    reading.catch(() => undefined);
    const storeIfAny = await caller.storeIfAny();
    const here = hasFeaturesHere(caller.place, storeIfAny);
    const means = { env, store: storeIfAny, gitIn: (root: string) => git.at(root) };
    const content = await contentOf({ place: caller.place, before: [] }, means);
    const read = await reading;
    if (content === undefined && !here && !(await bringsFeatures(git, read)))
      return { kind: 'none' };
    if (read.problem !== undefined) return { kind: 'unknown', error: read.problem };
    if (content !== undefined && staysIn(content, read)) return { kind: 'none' };

    const { project = caller.place } = content ?? {};
    const gitThere = content === undefined ? git : git.at(project.root);
    const workspace = workspaceOn(await caller.store(), project, gitThere, caller.now);
    assertTakenOver(workspace);
    const compared = (known: PushReading) => {
      const own = () => comparisonsOf(git, known);
      return content === undefined ? own() : contentComparisons(content, [], workspace, own);
    };
    // What the remote of such a repository has says nothing about the project.
    const isOther = content?.isWorktree === false;
    const asker = isOther ? { ...caller, askRemote: async () => undefined } : caller;
    const { hold, comparisons } = await judgePush(read, compared, workspace, asker);
    const agreed = hold.verdict !== 'pass' && wasAsked(comparisons, hold, workspace, caller.now());
    if (agreed || hold.verdict === 'pass') noteLetThrough(git, comparisons);
    return { kind: 'judged', hold, workspace, agreed };
  } catch (error) {
    if (error instanceof OwnProcessNeeded) throw error;
    return { kind: 'unknown', error };
  }
}

/**
 * Judges a push by what the remote is known to have. The remote is asked if nothing is known of it, or if its
 * remote-tracking refs say more and the push would pass by them; if it does not answer, the refs are believed.
 */
async function judgePush(
  read: PushReading,
  compared: (read: PushReading) => Promise<readonly Comparison[]>,
  workspace: Workspace,
  { now, askRemote }: PushCaller,
) {
  const { holdOn } = await import('./hold.ts');
  const judged = async (refs: Refs) => {
    const comparisons = await compared({ ...read, refs });
    const hold = await holdOn(lookAt(workspace), comparisons, now(), ({ kinds }) => kinds.push);
    return { comparisons, hold };
  };
  const { refs, remote, updates } = read;
  const tracking = trackingRefs(refs, remote);
  const known = tracking.filter((it) => refs.unknown.get(it) !== refs.oids.get(it));
  const has = new Set(known.flatMap((it) => refs.oids.get(it) ?? []));
  const strict = await judged({ ...refs, has });
  const isNew = tracking.length === 0 && !refs.defaultBranches.has(remote);
  const isUnknown = isNew && updates.some(({ tracked }) => tracked === undefined);
  const saysMore = refs.unknown.size > 0;
  if (strict.hold.verdict === 'pass' || !(saysMore || isUnknown)) return strict;
  const usual = await judged(believed(refs));
  if (usual.hold.verdict !== 'pass' && !isUnknown) return usual;
  const asked = await askRemote();
  return asked === undefined ? usual : judged({ ...refs, has: asked });
}

/** True if the push stays on this machine: a test pushes a repository that it made to one beside it. */
function staysIn({ project, isWorktree }: ProjectContent, { refs, remote }: PushReading): boolean {
  const to = addressesOf(refs, remote, 'push');
  return !isWorktree && to.every((it) => isInside(project.root, it));
}

/** True if the agent's hook has already asked a person before git was started; git's hook cannot ask. */
function wasAsked(
  comparisons: readonly Comparison[],
  hold: Hold,
  workspace: Workspace,
  now: Date,
): boolean {
  if (takeQuestions(workspace, commitsAsked(comparisons), now)) return true;
  return hold.uncovered.length === 0 && takeQuestions(workspace, contentsAsked(hold), now);
}

/** Whether a registry is in what is sent, in what it replaces, or in a default branch. */
async function bringsFeatures(git: Git, { refs, remote, updates, registry }: PushReading) {
  if (registry) return true;
  const tracked = updates.flatMap((update) => update.tracked ?? []);
  const tips = [...defaultTips(refs, remote), ...defaultTips(refs)];
  const paths = new Set([...tracked, ...tips].map((oid) => `${oid}:${REGISTRY_FILE}`));
  const texts = await blobsAt(git, [...paths]);
  return texts.some((text) => text !== undefined);
}

async function comparisonsOf(git: Git, { refs, remote, updates }: PushReading) {
  const comparisons = await forUpdates(git, refs, remote, updates, NOTHING_EARLIER);
  return withOrigin(comparisons, git, refs);
}
