import { UsageError } from '../errors.ts';
import type { Comparison } from '../features/assess.ts';
import type { Workspace } from '../features/workspace.ts';
import { ordinarily } from '../gate/pending.ts';
import type { Git } from '../project/git.ts';
import { commitOf } from '../project/revision.ts';

/** A commit against what others have. */
export type CommitComparison = Comparison & {
  readonly subject: { readonly kind: 'revision'; readonly oid: string };
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
  if (base === undefined) return { ...(await ordinarily(workspace, subject)), subject };
  return { subject, base: await commitOf(git, base), published: [] };
}

/** @throws {UsageError} in a folder without git. */
export function gitOf({ git }: Workspace): Git {
  if (git !== undefined) return git;
  throw new UsageError('this folder is not in a git repository, so no evidence travels with it', {
    hint: 'give `--project <repository>`',
  });
}
