/** The gate's answer to a shell command of an agent. */
import type { Finding } from '../recognise/finding.ts';
import type { GateAnswer, GateCaller } from './answer.ts';
import { atBoundary, atCarriedContent } from './at-boundary.ts';
import { atOpaque } from './at-opaque.ts';
import { atTampering, atWaiver } from './at-waiver.ts';
import type { About } from './questions.ts';

/** The strictest of the answers to each finding. What cannot be told is denied, not thrown. */
export async function decide(
  findings: readonly Finding[],
  caller: GateCaller,
): Promise<GateAnswer> {
  let strictest: GateAnswer = { decision: 'none' };
  const about: About[] = [];
  for (const finding of findings) {
    const answer = await answerFinding(finding, caller);
    if (rank(answer) > rank(strictest)) strictest = answer;
    if (strictest.decision === 'deny') break;
    if (answer.decision === 'ask') about.push(...(answer.about ?? []));
  }
  return strictest.decision === 'ask' ? { ...strictest, about } : strictest;
}

const STRICTNESS = ['none', 'pass', 'ask', 'deny'] as const;
/** What could not be read says more than a boundary where nothing can be held. */
const rank = (answer: GateAnswer): number =>
  STRICTNESS.indexOf(answer.decision) + ('undecided' in answer ? 0.5 : 0);

function answerFinding(finding: Finding, caller: GateCaller): Promise<GateAnswer> {
  switch (finding.verdict) {
    case 'boundary':
      return finding.toolCall === 'carries-content'
        ? atCarriedContent(finding, caller)
        : atBoundary(finding, caller);
    case 'opaque':
      return atOpaque(finding, caller);
    case 'tampering':
      return atTampering(finding, caller);
    case 'waiver':
      return atWaiver(finding, caller);
  }
}
