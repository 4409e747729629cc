/** The gate's answer to a shell command of an agent. */
import type { Finding } from '../commands/finding.ts';
import type { GateAnswer, GateCaller } from './answer.ts';
import { atBoundary, atCarriedContent } from './at-boundary.ts';
import { atOpaque } from './at-opaque.ts';
import { atTampering, atWaiver } from './at-waiver.ts';
import { CannotTellError } from './errors.ts';
import type { About } from './questions.ts';

/** Gives the strictest of the answers to the findings. An unknown is denied, not thrown. */
export async function decide(
  findings: readonly Finding[],
  caller: GateCaller,
): Promise<GateAnswer> {
  let strictest: GateAnswer = { decision: 'none' };
  const about: About[] = [];
  const { passed: late, clear } = timeLimit(caller.limitMs ?? LIMIT_MS);
  for (const finding of findings) {
    const answer = await answerFinding(finding, caller, late);
    if (rank(answer) > rank(strictest)) strictest = answer;
    if (strictest.decision === 'deny') break;
    if (answer.decision === 'ask') about.push(...(answer.about ?? []));
  }
  clear();
  return strictest.decision === 'ask' ? { ...strictest, about } : strictest;
}

/** Agents give 60 s; after that some of them run the command. */
const LIMIT_MS = 30_000;

function timeLimit(limitMs: number) {
  const { promise: passed, reject } = Promise.withResolvers<never>();
  // The promise is not awaited if there is no boundary.
  passed.catch(() => undefined);
  const error = new CannotTellError(
    `to look took more than ${limitMs / 1_000} s`,
    'find out what makes git slow here (`git status`), then run the command again',
  );
  const timer = setTimeout(() => reject(error), limitMs);
  return { passed, clear: () => clearTimeout(timer) };
}

const STRICTNESS = ['none', 'pass', 'ask', 'deny'] as const;
/** The order of strictness: a command that could not be read outranks a boundary where nothing can be held. */
const rank = (answer: GateAnswer): number =>
  STRICTNESS.indexOf(answer.decision) + ('undecided' in answer ? 0.5 : 0);

function answerFinding(
  finding: Finding,
  caller: GateCaller,
  late: Promise<never>,
): Promise<GateAnswer> {
  switch (finding.verdict) {
    case 'boundary':
      return finding.toolCall === 'carries-content'
        ? atCarriedContent(finding, caller)
        : atBoundary(finding, caller, late);
    case 'opaque':
      return atOpaque(finding, caller);
    case 'tampering':
      return atTampering(finding, caller);
    case 'waiver':
      return atWaiver(finding, caller);
  }
}
