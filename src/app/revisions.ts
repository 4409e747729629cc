/** Revisions, as they are written, and what they are compared with. */
import { UsageError } from '../errors.ts';
import type { Comparison, Subject } from '../features/comparison.ts';
import type { Workspace } from '../features/workspace.ts';
import { ordinarily } from '../gate/pending.ts';
import type { Git } from '../git/git.ts';
import { commitOf } from '../git/refs.ts';

/** The working tree, or a revision. @throws {UsageError} if there is no such revision. */
export async function subjectAt(
  { git }: Workspace,
  revision: string | undefined,
): Promise<Subject> {
  if (revision === undefined) return { kind: 'worktree' };
  return { kind: 'revision', oid: await commitOf(git, revision) };
}

/** Revisions as they were written; HEAD, and what the upstream branch has. */
export interface Revisions {
  readonly head?: string | undefined;
  readonly base?: string | undefined;
}

/** A commit against what others have. */
export type CommitComparison = Comparison & {
  readonly subject: { readonly kind: 'revision'; readonly oid: string };
  /**
   * The revision whose policy and signers count: what the caller compares with, else the default
   * branch. Not the upstream branch: it may be the author's own, and need not be reviewed.
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
    const comparison = await ordinarily(workspace, subject);
    return { ...comparison, subject, trusted: comparison.published[0] ?? comparison.base };
  }
  const tip = await commitOf(git, base);
  // What the base got since the branch left it, the branch does not take away.
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
