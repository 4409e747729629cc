/** Only a person may lift a hold, or weaken what holds. */

import { printableLine } from '../base/text/printable.ts';
import type { Tampering, Waiver } from '../commands/finding.ts';
import { tamperingText } from '../commands/guard/layers.ts';
import { deletesMemory, takesAway } from '../commands/guard/takes-away.ts';
import type { Workspace } from '../features/workspace.ts';
import { type GateAnswer, type GateCaller, mayHold, workspaceOf } from './answer.ts';
import { orElse } from './errors.ts';
import { aboutWords } from './questions.ts';

export async function atTampering(finding: Tampering, caller: GateCaller): Promise<GateAnswer> {
  const reason = tamperingText(finding, 'command');
  let workspace: Workspace | undefined;
  try {
    workspace = await workspaceOf(finding, caller);
    if (finding.reach === 'repository' && !(await mayHold(workspace, caller))) {
      return { decision: 'none' };
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
  return { decision: 'ask', rule: 'tampering', reason, workspace };
}

export async function atWaiver(waiver: Waiver, caller: GateCaller): Promise<GateAnswer> {
  const { argv } = waiver;
  const deletes = deletesMemory(argv.slice(1));
  const accepts = !deletes && argv.includes('orchestrate');
  const lifts = !deletes && !accepts;
  if (lifts && argv.includes('waive') && (await mayWaive(waiver, caller)))
    return { decision: 'none' };
  const edits = lifts && takesAway(argv.slice(argv.indexOf('feature') + 1));
  if (edits && !(await isGuarded(waiver, caller))) return { decision: 'none' };
  const rule = 'waiver';
  const words = argv.map((word) => word ?? '…').join(' ');
  const about = aboutWords(argv.slice(1));
  if (about === undefined || waiver.directory === undefined) {
    const reason = `A person can agree only to what the command says itself: write all of it out, without variables: ${printableLine(words, 300)}`;
    return { decision: 'deny', rule, reason, workspace: undefined };
  }
  const what = deletes ? DELETES : accepts ? ACCEPTS : edits ? EDITS : LIFTS;
  const reason = `lanehold asks before \`${printableLine(words, 300)}\`: it would ${what}.`;
  const workspace = await workspaceOf(waiver, caller);
  return { decision: 'ask', rule, reason, workspace, about: [about] };
}

const DELETES = 'delete for good what is remembered';
const ACCEPTS = 'integrate work that has to be looked at first';
const LIFTS = 'lift a hold without running its tests';
const EDITS =
  'take away from a feature that others rely on, whose present content is not verified and may then leave';

/** Whether a feature that the command removes or narrows is held, and is not the agent's own. */
async function isGuarded(waiver: Waiver, caller: GateCaller): Promise<boolean> {
  return orElse(true, async () => {
    const { guardedAmong } = await import('./pending.ts');
    const workspace = await workspaceOf(waiver, caller);
    return (await guardedAmong(workspace, waiver.argv, 'agent', caller.now())).size > 0;
  });
}

/** The policy of the base counts as well, so that an agent cannot loosen it first. */
async function mayWaive(waiver: Waiver, caller: GateCaller): Promise<boolean> {
  return orElse(false, async () => {
    const workspace = await workspaceOf(waiver, caller);
    const { policyInForce } = await import('./pending.ts');
    return (await policyInForce(workspace)).waive === 'agent';
  });
}
