/** How proposals look. */
import type { Dreamt, ProposalView } from '../../app/dream.ts';
import { printableLine } from '../../text/printable.ts';

const WIDEST = 100;

function headline({ id, operation, why, source }: ProposalView): string {
  const by = source === 'program' ? ', by the program' : '';
  return `${id} ${operation.op}: ${printableLine(why, 200)}${by}`;
}

const diffText = ({ diff }: ProposalView) =>
  diff.map((it) => `    ${printableLine(it, WIDEST)}`).join('\n');

export function proposalText(proposal: ProposalView): string {
  const quotes = proposal.evidence.map(
    ({ session, quote }) => `  session ${printableLine(session, 60)}: ${printableLine(quote, 300)}`,
  );
  return [headline(proposal), diffText(proposal), ...quotes].join('\n');
}

export function proposalListText(proposals: readonly ProposalView[]): string {
  if (proposals.length === 0) return 'No proposals wait; `lanehold dream` looks for some';
  return proposals.map((it) => `${headline(it)}\n${diffText(it)}`).join('\n');
}

export function dreamtText({ proposed, applied, waiting }: Dreamt, dryRun: boolean): string {
  const lines = proposed.map((it) => `${headline(it)}\n${diffText(it)}`);
  if (proposed.length === 0) lines.push('Nothing new to propose');
  if (applied.length > 0) lines.push(`Applied: ${applied.join(', ')}`);
  if (dryRun) lines.push('Nothing was kept: --dry-run');
  else if (waiting > 0)
    lines.push(`${waiting} wait for you: lanehold dream apply --all, or reject`);
  return lines.join('\n');
}

export const decidedText = (verb: string, proposals: readonly ProposalView[]): string =>
  proposals.length === 0
    ? 'No proposals wait'
    : proposals.map((it) => `${verb} ${headline(it)}`).join('\n');
