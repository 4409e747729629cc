import { UsageError } from '../errors.ts';
import type { Comparison } from '../features/assess.ts';
import type { Workspace } from '../features/workspace.ts';
import { ordinarily } from '../gate/pending.ts';
import type { Git } from '../git/git.ts';
import { commitOf } from '../git/refs.ts';

/** A commit against what others have. */
export type CommitComparison = Comparison & {
  readonly subject: { readonly kind: 'revision'; readonly oid: string };
  /**
   * Whose policy and signers count: what the caller compares with, else the default branch. Not
   * the upstream branch: it may be the author's own, and what is there need not be reviewed.
   */
  readonly trusted: string | undefined;
};

/** @param options revisions as they were typed; HEAD, and what the upstream branch has. */
export async function comparisonOf(
  workspace: Workspace,
  {
    head = 'HEAD',
    base,
  }: { readonly head?: string | undefined; readonly base?: string | undefined },
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
