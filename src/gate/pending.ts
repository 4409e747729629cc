/** What would be held of a tree if it left now, when no particular boundary is in sight. */
import { type Assessment, assess, type Comparison, type Subject } from '../features/assess.ts';
import type { Workspace } from '../features/workspace.ts';
import { lookAt } from '../project/look.ts';
import { ordinaryComparison } from './compare.ts';

/** In a folder without git nobody has anything yet: all of it counts. */
export async function ordinarily(workspace: Workspace, subject: Subject): Promise<Comparison> {
  const { git } = workspace;
  if (git === undefined) return { subject, base: undefined, published: [] };
  return ordinaryComparison(git, subject);
}

/** @param subject the working tree, unless the caller says otherwise. */
export async function assessPending(
  workspace: Workspace,
  now: Date,
  subject: Subject = { kind: 'worktree' },
): Promise<Assessment> {
  const look = lookAt(workspace.git);
  // Needed in any case, and slower than the rest: it runs meanwhile.
  const looking = subject.kind === 'revision' ? undefined : look.status();
  const [comparison] = await Promise.all([ordinarily(workspace, subject), looking]);
  return assess(workspace, comparison, now, look);
}
