import type { GatePolicy } from '../config/policy.ts';
import { policyAt } from '../features/assess.ts';
import type { Workspace } from '../features/workspace.ts';
import { ordinarily } from './pending.ts';

/** The policy of a project when no particular boundary is in sight: of what lies there, and of its base. */
export async function policyInForce(workspace: Workspace): Promise<GatePolicy> {
  return policyAt(workspace, await ordinarily(workspace, { kind: 'worktree' }));
}
