/** Before a shell command: may what it makes leave, leave? */

import type { Reply } from '../agents/types.ts';
import type { Finding } from '../recognise/finding.ts';
import { recognise } from '../recognise/recognise.ts';
import { type Caller, NO_OPINION } from './handler.ts';
import { readingContext } from './reading-context.ts';

export async function beforeCommand(
  command: string,
  { cwd, session }: CommandOrigin,
  caller: Caller,
): Promise<Reply> {
  const findings = recognise(command, readingContext(cwd, caller.env));
  return gateReply(findings, command, { cwd, session }, caller);
}

/** The gate's answer to what was found in a command. */
export async function gateReply(
  findings: readonly Finding[],
  command: string,
  { cwd, session }: CommandOrigin,
  caller: Caller,
): Promise<Reply> {
  if (!findings.some(matters)) return NO_OPINION;

  const [{ decide }, { programName }] = await Promise.all([
    import('../gate/decide.ts'),
    import('./program-name.ts'),
  ]);
  const answer = await decide(findings, { ...caller, cwd, program: programName(caller.env) });
  if (answer.decision !== 'none') {
    const projectId = answer.workspace?.projectId ?? null;
    await recordAnswer(answer, projectId, command, { session }, caller);
  }
  if (answer.decision === 'none' || answer.decision === 'pass') return NO_OPINION;
  return { decision: answer.decision, reason: answer.reason };
}

interface CommandOrigin {
  readonly cwd: string;
  readonly session: string;
}

function matters(finding: Finding): boolean {
  return finding.verdict !== 'opaque' || finding.suspicious;
}

type Answered =
  | { readonly decision: 'pass'; readonly rule: string }
  | { readonly decision: 'deny' | 'ask'; readonly rule: string; readonly reason: string };

/** The answer stands whether or not it can be written down. */
export async function recordAnswer(
  answer: Answered,
  projectId: number | null,
  command: string,
  { session }: Pick<CommandOrigin, 'session'>,
  { agent, now, store, env }: Caller,
): Promise<void> {
  const [{ redact }, { decisionStore }, { logFailure }] = await Promise.all([
    import('../text/redact/redact.ts'),
    import('../store/decisions.ts'),
    import('./failure-log.ts'),
  ]);
  try {
    const opened = await store();
    const decisions = decisionStore(opened);
    const decision = {
      projectId,
      agent,
      session,
      rule: answer.rule,
      decision: answer.decision,
      command: redact(command.slice(0, MAX_COMMAND_CHARS)),
      reason: answer.decision === 'pass' ? '' : redact(answer.reason),
    };
    opened.write(() => decisions.add(decision, now()));
  } catch (error) {
    logFailure(error, { agent, event: 'before-tool' }, env, now());
  }
}

const MAX_COMMAND_CHARS = 10_000;
