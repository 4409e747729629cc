/** Decides about a command that cannot be read. */

import { enumerated, printableLine } from '../base/text/printable.ts';
import type { Opaque } from '../commands/finding.ts';
import { lookAt } from '../features/comparison.ts';
import type { Workspace } from '../features/workspace.ts';
import { aboutHead, type GateAnswer, type GateCaller, workspaceOf } from './answer.ts';
import { assertTakenOver } from './moved.ts';

/** Asks only if the command may hide a release, and something is pending. */
export async function atOpaque(finding: Opaque, caller: GateCaller): Promise<GateAnswer> {
  const undecided = (because: string): GateAnswer => ({
    decision: 'none',
    undecided: `Undecided, and passes because ${because}: ${finding.why}`,
  });
  if (!finding.suspicious) return undecided('nothing in it looks like a release');
  const rule = 'opaque';
  let workspace: Workspace | undefined;
  try {
    workspace = await workspaceOf(finding, caller);
    assertTakenOver(workspace);
    const { assessPending } = await import('./pending.ts');
    const { held, policy } = await assessPending(lookAt(workspace), caller.now());
    if (policy.opaque === 'allow') return undecided('`gate.opaque` allows it');
    const pending = [...new Set(held.map(({ feature }) => feature.name))].sort();
    if (pending.length === 0) return undecided('nothing is pending');
    const are = pending.length === 1 ? '1 feature is' : `${pending.length} features are`;
    const reason =
      `lanehold cannot read what this command would run (${finding.why}), ` +
      `and ${are} not verified: ${enumerated(pending, 4)}\n` +
      `Write the command out plainly, or verify first: ${caller.program} feature verify --pending`;
    if (policy.opaque === 'deny') return { decision: 'deny', rule, reason, workspace };
    return { decision: 'ask', rule, reason, workspace, about: await aboutHead(workspace) };
  } catch (error) {
    const fact = error instanceof Error ? error.message : String(error);
    const reason = `lanehold cannot read what this command would run (${finding.why}), nor what is pending: ${printableLine(fact, 300)}`;
    return { decision: 'ask', rule, reason, workspace };
  }
}
