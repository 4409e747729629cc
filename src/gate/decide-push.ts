/** The gate's answer to a push that git is about to make: exact refs, no command to read. */
import { REGISTRY_FILE } from '../base/config/feature.ts';
import type { Environment } from '../base/environment.ts';
import type { Git } from '../base/git/git.ts';
import { blobsAt } from '../base/git/paths.ts';
import type { ProjectPlace } from '../base/git/project.ts';
import type { Comparison } from '../features/comparison.ts';
import { hasFeaturesHere } from '../features/registry.ts';
import { type Workspace, workspaceOn } from '../features/workspace.ts';
import type { Store } from '../store/open.ts';
import { defaultTips, forUpdate, NOTHING_EARLIER, withOrigin } from './compare.ts';
import { contentComparisons, contentOf } from './content-of.ts';
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
  readonly env: Environment;
  readonly now: () => Date;
  readonly store: () => Promise<Store>;
  /** The store, or `undefined` if there is no database yet. */
  readonly storeIfAny: () => Promise<Store | undefined>;
}

/**
 * A project without features is left alone, even if the push cannot be read. Otherwise what cannot
 * be told is an answer, and is not thrown.
 */
export async function decidePush(push: Push, caller: PushCaller): Promise<PushAnswer> {
  if (sendsNothing(push)) return { kind: 'none' };
  try {
    const { git, env } = caller;
    const reading = readPush(push, git);
    // Awaited later; without a handler an early failure would end the process.
    reading.catch(() => undefined);
    const storeIfAny = await caller.storeIfAny();
    const here = hasFeaturesHere(caller.place, storeIfAny);
    const asker = { env, store: storeIfAny, gitIn: (root: string) => git.at(root) };
    const content = await contentOf({ place: caller.place, before: [] }, asker);
    const read = await reading;
    if (content === undefined && !here && !(await bringsFeatures(git, read)))
      return { kind: 'none' };
    if (read.problem !== undefined) return { kind: 'unknown', error: read.problem };

    const { project = caller.place } = content ?? {};
    const gitThere = content === undefined ? git : git.at(project.root);
    const workspace = workspaceOn(await caller.store(), project, gitThere, caller.now);
    assertTakenOver(workspace);
    const own = () => comparisonsOf(git, read);
    const [{ holdOn }, comparisons] = await Promise.all([
      import('./hold.ts'),
      content === undefined ? own() : contentComparisons(content, { own, before: [] }, workspace),
    ]);
    const hold = await holdOn(workspace, comparisons, caller.now(), {
      severity: ({ kinds }) => kinds.push,
    });
    const agreed = hold.verdict !== 'pass' && wasAsked(comparisons, hold, workspace, caller.now());
    return { kind: 'judged', hold, workspace, agreed };
  } catch (error) {
    return { kind: 'unknown', error };
  }
}

/** The agent's hook has asked before git was started; git's hook cannot ask. */
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
  const comparisons: Comparison[] = [];
  // One after the other: a mirror may have thousands, and each starts git.
  for (const update of updates) {
    comparisons.push(...(await forUpdate(git, refs, remote, update, NOTHING_EARLIER)));
  }
  return withOrigin(comparisons, git, refs);
}
