/** Before a shell command: may what it makes leave, leave? */
import type { Reply } from '../agents/types.ts';
import type { Finding, VisitedCommand } from '../recognise/finding.ts';
import { recognise } from '../recognise/recognise.ts';
import { noteActivity } from './activity.ts';
import { type Caller, NO_OPINION } from './handler.ts';
import { readingContext } from './reading-context.ts';

/** What is known of a command before it runs. */
export interface CommandReading {
  readonly findings: readonly Finding[];
  /** The commands that it runs, as the reading came to them. */
  readonly commands: readonly VisitedCommand[];
}

export async function beforeCommand(
  command: string,
  { cwd, session }: CommandOrigin,
  caller: Caller,
): Promise<Reply> {
  const commands: VisitedCommand[] = [];
  const visit = (it: VisitedCommand): number => commands.push(it);
  const findings = recognise(command, { ...readingContext(cwd, caller.env), visit });
  return gateReply({ findings, commands }, command, { cwd, session }, caller);
}

/** The gate's answer to a command. One that may run is noted: it may change files. */
export async function gateReply(
  { findings, commands }: CommandReading,
  command: string,
  { cwd, session }: CommandOrigin,
  caller: Caller,
): Promise<Reply> {
  const reply = await judge(findings, command, { cwd, session }, caller);
  if (reply.decision === 'deny') return reply;
  const programs = commands.flatMap(({ argv, inFile }) => (inFile ? [] : (argv[0] ?? [])));
  noteActivity(caller.env, { agent: caller.agent, session }, programs);
  return reply;
}

async function judge(
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
