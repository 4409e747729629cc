/** What would be held of a tree if it left now, when no particular boundary is in sight. */

import { REGISTRY_FILE } from '../config/feature.ts';
import { type Assessment, assess, type Comparison, type Subject } from '../features/assess.ts';
import type { Workspace } from '../features/workspace.ts';
import { snapshotOfWorktree, type UpstreamSnapshot } from '../git/repository-snapshot.ts';
import { EVERYTHING, ordinaryComparison } from './compare.ts';

export async function ordinarily({ git }: Workspace, subject: Subject): Promise<Comparison> {
  if (git === undefined) return EVERYTHING;
  return ordinaryComparison(git, subject);
}

/** What is held, and the commit that is checked out. */
export type PendingAssessment = Assessment & { readonly head: string | undefined };

/**
 * The working tree, against what its upstream branch has.
 *
 * @param begun a snapshot that the caller has begun to take already, while it did something else.
 */
export async function assessPending(
  workspace: Workspace,
  now: Date,
  begun?: UpstreamSnapshot,
): Promise<PendingAssessment> {
  const { git } = workspace;
  if (git === undefined) {
    return { ...(await assess(workspace, EVERYTHING, now)), head: undefined };
  }
  const { snapshot, upstream } = begun ?? snapshotOfWorktree(git, REGISTRY_FILE);
  const comparison = await ordinaryComparison(git, { kind: 'worktree' }, await upstream);
  const assessment = await assess(workspace, comparison, now, snapshot);
  return { ...assessment, head: (await snapshot.status()).head };
}

export async function pendingNames(workspace: Workspace, now: Date): Promise<ReadonlySet<string>> {
  const { held } = await assessPending(workspace, now);
  return new Set(held.map(({ feature }) => feature.name));
}
