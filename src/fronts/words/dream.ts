/** The texts of proposals. */
import type { Dreamt, ProposalView } from '../../app/recall/dream.ts';
import type { ProgramReport } from '../../app/recall/dream-program.ts';
import { plural, printableLine } from '../../base/text/printable.ts';

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
  return proposals.map(proposalText).join('\n');
}

export function dreamtText({ proposed, applied, waiting, program }: Dreamt, dryRun: boolean) {
  const lines = proposed.map(proposalText);
  if (proposed.length === 0) lines.push('Nothing new to propose');
  if (program !== undefined) lines.push(...programLines(program));
  if (applied.length > 0) lines.push(`Applied: ${applied.join(', ')}`);
  if (dryRun) lines.push('Nothing was kept: --dry-run');
  else if (waiting > 0)
    lines.push(`${waiting} wait for you: lanehold dream apply --all, or reject`);
  return lines.join('\n');
}

function programLines({ sessions, left, tokens, refused, problem }: ProgramReport): string[] {
  if (sessions === 0) return ['The program was not asked: it has read all sessions'];
  const cost = `about ${tokens.toLocaleString('en')} tokens`;
  if (problem !== undefined)
    return [`The program was of no use: ${printableLine(problem, 300)} (${cost})`];
  const rest = left === 0 ? '' : `; ${left} are left for the next time`;
  return [
    `The program has read ${plural(sessions, 'session')} (${cost})${rest}`,
    ...refused.map(
      ({ what, why }) => `  refused: ${printableLine(why, 200)}: ${printableLine(what, 120)}`,
    ),
  ];
}

export const decidedText = (verb: string, proposals: readonly ProposalView[]): string =>
  proposals.length === 0
    ? 'No proposals wait'
    : proposals.map((it) => `${verb} ${headline(it)}`).join('\n');
