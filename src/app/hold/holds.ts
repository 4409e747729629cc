/** Revisions as they are typed, the comparison for each, and what would be held. */
import { UsageError } from '../../base/errors.ts';
import type { Git } from '../../base/git/git.ts';
import { commitOf } from '../../base/git/refs.ts';
import { type Comparison, lookAt, type Subject } from '../../features/comparison.ts';
import type { Workspace } from '../../features/workspace.ts';
import { ordinaryComparison } from '../../gate/compare.ts';
import { heldPushText, heldText, uncoveredText, verifyLine } from '../../gate/denial.ts';
import { heldPushes, judgedPushes, type StillHeld } from '../../gate/held-pushes.ts';
import type { HeldFeature, Hold } from '../../gate/hold.ts';
import { pendingHold } from '../../gate/pending.ts';
import { type AppContext, openProject } from '../context.ts';

/** The working tree, or a revision. @throws {UsageError} if there is no such revision. */
export async function subjectAt(
  { git }: Workspace,
  revision: string | undefined,
): Promise<Subject> {
  if (revision === undefined) return { kind: 'worktree' };
  return { kind: 'revision', oid: await commitOf(git, revision) };
}

/** Revisions as they were typed; by default HEAD, and the upstream branch. */
export interface Revisions {
  readonly head?: string | undefined;
  readonly base?: string | undefined;
}

type CommitComparison = Comparison & {
  readonly subject: { readonly kind: 'revision'; readonly oid: string };
  /**
   * The revision whose policy and signers count: the caller's base, else the default branch. The upstream branch does
   * not count, because it may be the author's own, without a review.
   */
  readonly trusted: string | undefined;
};

/** @throws {UsageError} if there is no such revision. */
export async function comparisonOf(
  workspace: Workspace,
  { head = 'HEAD', base }: Revisions,
): Promise<CommitComparison> {
  const { git } = workspace;
  const subject = { kind: 'revision', oid: await commitOf(git, head) } as const;
  if (base === undefined) {
    const comparison = await ordinaryComparison(workspace.git, subject);
    return { ...comparison, subject, trusted: comparison.published[0] ?? comparison.base };
  }
  const tip = await commitOf(git, base);
  // What the base got since the fork is not removed by the branch.
  const fork = (await git?.maybe(['merge-base', tip, subject.oid]))?.trim();
  return { subject, base: fork ?? tip, published: [tip], trusted: tip };
}

/** @throws {UsageError} in a folder without git. */
export function gitOf({ git }: Workspace): Git {
  if (git !== undefined) return git;
  throw new UsageError('this folder is not in a git repository, so no evidence travels with it', {
    hint: 'give `--project <repository>`',
  });
}

/** A hold for programs: stable keys, no prose. */
export type HoldData = ReturnType<typeof holdData>;
export type PendingHold = Awaited<ReturnType<typeof holdReport>>;

/** Computes what would be held if the working tree, or a revision, left now. */
export async function pendingFeatures(
  context: AppContext,
  { head }: { readonly head?: string | undefined } = {},
) {
  const workspace = await openProject(context);
  const subject = await subjectAt(workspace, head);
  return holdReport(context, workspace, subject);
}

/**
 * A hold for programs, and one sentence for people about each held feature, and about files of no feature. It includes
 * earlier pushes of other branches and tags that would still be held.
 */
export async function holdReport({ now }: AppContext, workspace: Workspace, subject: Subject) {
  const look = lookAt(workspace);
  const hold = await pendingHold(look, subject, now());
  const isAll = subject.kind === 'worktree';
  const pushes = isAll ? heldPushes(look, await judgedPushes(look, now()), hold.features) : [];
  return {
    data: { ...holdData(hold), pushes: pushes.map(pushData) },
    sentences: [
      ...hold.features.map((it) => heldText(it, now())),
      ...(hold.uncovered.length === 0 ? [] : [uncoveredText(hold)]),
    ],
    pushSentences: pushes.map((it) => heldPushText(it, { program: 'lanehold', now: now() })),
  };
}

/** A held push: since `firstAt`, `tries` times; `verify` is the command that lets it through. */
export const pushData = ({ features, ...push }: StillHeld) => ({
  ...push,
  held: features.map(heldData),
  verify: verifyLine(features, 'lanehold'),
});

type HoldFacts = Pick<Hold, 'verdict' | 'features' | 'verified' | 'uncovered'>;

export function holdData({ verdict, features, verified, uncovered }: HoldFacts) {
  return { verdict, held: features.map(heldData), verified, uncovered };
}

/** A held feature for programs. `evidence` is the id of the record behind the reason, `at` a commit or `worktree`. */
export function heldData(held: HeldFeature) {
  const { name, definedBy, fingerprint, smoke, reason, subject } = held;
  return {
    feature: name,
    definedBy,
    fingerprint,
    smoke,
    reason: reason.kind,
    ...('files' in reason && reason.files !== undefined ? { changedFiles: reason.files } : {}),
    ...('evidence' in reason ? { evidence: reason.evidence.id } : {}),
    at: subject.kind === 'revision' ? subject.oid : subject.kind,
  };
}
