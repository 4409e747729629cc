/** Before a shell command: asks the gate about what the command would make leave. */
import { findHookAgent } from '../agents/registry.ts';
import type { Reply } from '../agents/types.ts';
import type { GateAnswer } from '../gate/decide.ts';
import type { Finding, VisitedCommand } from '../recognise/finding.ts';
import { recognise } from '../recognise/recognise.ts';
import { noteActivity } from './activity.ts';
import { type Caller, NO_OPINION } from './handler.ts';
import { readingContext } from './reading-context.ts';

/** What is known of a command before it runs. */
export interface CommandReading {
  readonly findings: readonly Finding[];
  /** The commands that it runs, in the order in which they were found. */
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

/** The gate's answer to a command. A command that may run is noted, because it may change files. */
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

  const [{ decide }, { programName }, { reachesGitHook }] = await Promise.all([
    import('../gate/decide.ts'),
    import('../package.ts'),
    import('./git-hook-reach.ts'),
  ]);
  const answer = await decide(findings, {
    ...caller,
    ...{ cwd, command, program: programName(caller.env) },
    reachesGitHook: (push, place) => reachesGitHook(push, place, caller.env),
  });
  if (answer.decision !== 'none') {
    const { recordDecision } = await import('./record-decision.ts');
    const { decision, rule } = answer;
    const reason =
      'reason' in answer ? answer.reason : 'undecided' in answer ? answer.undecided : '';
    const projectId = answer.workspace?.projectId ?? null;
    const entry = { projectId, agent: caller.agent, session, rule, decision, command, reason };
    await recordDecision(entry, caller, 'before-tool');
    await noteAnswer(answer, caller);
  }
  if (answer.decision === 'none' || answer.decision === 'pass') return NO_OPINION;
  return { decision: answer.decision, reason: answer.reason };
}

/** What later hooks and commands have to know of it. */
async function noteAnswer(
  answer: Exclude<GateAnswer, { decision: 'none' }>,
  { agent, now }: Caller,
): Promise<void> {
  const { workspace } = answer;
  const hold = 'hold' in answer ? answer.hold : undefined;
  if (workspace === undefined) return;
  const asks = findHookAgent(agent)?.hooks.capabilities.asks.includes('before-tool') === true;
  if (hold !== undefined) {
    const { notePushes } = await import('../gate/held-pushes.ts');
    notePushes(workspace, hold, now());
  }
  if (asks && answer.decision === 'ask' && answer.about !== undefined) {
    const { noteQuestion } = await import('../gate/questions.ts');
    noteQuestion(workspace, answer.about, now());
  }
}

export interface CommandOrigin {
  readonly cwd: string;
  readonly session: string;
}

function matters(finding: Finding): boolean {
  return finding.verdict !== 'opaque' || finding.suspicious;
}
