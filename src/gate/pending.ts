/** What would be held of a tree if it left now, when no particular boundary is in sight. */
import { type Assessment, assess, type Comparison, type Subject } from '../features/assess.ts';
import { REGISTRY_FILE } from '../features/registry.ts';
import type { Workspace } from '../features/workspace.ts';
import { lookAtUpstream } from '../project/look.ts';
import { ordinaryComparison } from './compare.ts';

/** In a folder without git nobody has anything yet: all of it counts. */
export async function ordinarily(workspace: Workspace, subject: Subject): Promise<Comparison> {
  const { git } = workspace;
  if (git === undefined) return { subject, base: undefined, published: [] };
  return ordinaryComparison(git, subject);
}

/** What is held, and the commit that is checked out. */
export type PendingAssessment = Assessment & { readonly head: string | undefined };

/** The working tree, against what its upstream branch has. */
export async function assessPending(workspace: Workspace, now: Date): Promise<PendingAssessment> {
  const { git } = workspace;
  const subject = { kind: 'worktree' } as const;
  if (git === undefined) {
    const comparison = await ordinarily(workspace, subject);
    return { ...(await assess(workspace, comparison, now)), head: undefined };
  }
  const { look, upstream } = lookAtUpstream(git, REGISTRY_FILE);
  const comparison = await ordinaryComparison(git, subject, await upstream);
  const assessment = await assess(workspace, comparison, now, look);
  return { ...assessment, head: (await look.status()).head };
}
