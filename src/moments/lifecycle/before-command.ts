/** Asks the gate about a shell command before it runs. */
import { findHookAgent } from '../../agents/registry.ts';
import type { Reply, ToolCall } from '../../agents/types.ts';
import type { Finding, VisitedCommand } from '../../commands/finding.ts';
import { floodIn } from '../../commands/floods.ts';
import { recognise } from '../../commands/recognise.ts';
import type { GateAnswer } from '../../gate/answer.ts';
import { leaveLook, leaveMissingLook, noteAsked } from '../watch/trace.ts';
import { noteActivity } from './activity.ts';
import { type Caller, NO_OPINION, programFor } from './handler.ts';
import { readingContext } from './reading-context.ts';

export async function beforeCommand(
  call: ToolCall & { readonly tool: 'shell' },
  origin: CommandOrigin,
  caller: Caller,
): Promise<Reply> {
  const reading = readCommand(call.command, origin, caller);
  const answer = await judge(reading.findings, call.command, origin, caller);
  if (answer.decision === 'deny' && answer.inOneCommand !== undefined) {
    const { verifyingFirst } = await import('./verify-instead.ts');
    const instead = await verifyingFirst({ ...answer, decision: 'deny' }, call, caller);
    if (instead !== undefined && (await mayRun(instead.command, origin, caller))) {
      return instead.reply;
    }
  }
  const reply = replyTo(answer, reading, origin, caller);
  const flood = reply.decision === 'none' ? floodIn(reading.commands) : undefined;
  if (flood === undefined) return reply;
  const { floodHint } = await import('./flood-hint.ts');
  return floodHint(flood, call.command, origin.session, caller);
}

type CommandReading = ReturnType<typeof readCommand>;

/** The commands of a text, in the order in which they were found. */
function readCommand(command: string, { cwd }: CommandOrigin, { env }: Caller) {
  const commands: VisitedCommand[] = [];
  const visit = (it: VisitedCommand): number => commands.push(it);
  const findings = recognise(command, { ...readingContext(cwd, env), visit });
  return { findings, commands };
}

/** The commands that a command line runs, each as its words; words that are not known are `?`. */
export const commandLines = (command: string, cwd: string, caller: Caller): string[] =>
  readCommand(command, { cwd, session: '' }, caller).commands.map(({ argv }) =>
    argv.map((word) => word ?? '?').join(' '),
  );

/** A command that replaces the agent's is judged as if the agent had written it. */
async function mayRun(command: string, origin: CommandOrigin, caller: Caller): Promise<boolean> {
  const reading = readCommand(command, origin, caller);
  const answer = await judge(reading.findings, command, origin, caller);
  if (answer.decision !== 'pass') return false;
  replyTo(answer, reading, origin, caller);
  return true;
}

/** The gate's answer to a command. A command that may run is noted, because it may change files. */
export async function gateReply(
  reading: CommandReading,
  command: string,
  origin: CommandOrigin,
  caller: Caller,
): Promise<Reply> {
  return replyTo(await judge(reading.findings, command, origin, caller), reading, origin, caller);
}

function replyTo(
  answer: GateAnswer,
  { commands }: CommandReading,
  { session }: CommandOrigin,
  { env, agent, afterwards }: Caller,
): Reply {
  if (answer.decision === 'deny') return { decision: 'deny', reason: answer.reason };
  const programs = commands.flatMap(({ argv, inFile }) => (inFile ? [] : (argv[0] ?? [])));
  const note = () => {
    noteActivity(env, { agent, session }, programs);
    if (commands.length > 0) noteAsked(env, { agent, session });
  };
  afterwards(note, { unsure: note });
  return answer.decision === 'ask' ? { decision: 'ask', reason: answer.reason } : NO_OPINION;
}

async function judge(
  findings: readonly Finding[],
  command: string,
  { cwd, session }: CommandOrigin,
  caller: Caller,
): Promise<GateAnswer> {
  if (!findings.some(matters)) return { decision: 'none' };

  const [{ hookGit }, { decide }, { gitHookFor }] = await Promise.all([
    import('../../base/git/small-git.ts'),
    import('../../gate/decide.ts'),
    import('./git-hook-reach.ts'),
  ]);
  const answer = await decide(findings, {
    ...caller,
    cwd,
    command,
    program: programFor(caller),
    gitIn: hookGit,
    gitHookFor: (push, { root }) => gitHookFor(push, hookGit(root, caller.env), caller.env),
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
  const { agent, env, now, afterwards } = caller;
  const look = { command, answer: answer.decision, at: now() };
  const who = { agent, session };
  // Without the trace, the command would count as one about which no hook was asked.
  afterwards(() => leaveLook(env, who, look), {
    unsure: () => leaveMissingLook(env, who, look),
  });
  return answer;
}

/** Whether the gate judges a command that ran; newer files are not read for that. */
export function isLookedAt(
  command: string,
  { cwd, env, at }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly at: Date },
): boolean {
  return recognise(command, readingContext(cwd, env, at)).some(matters);
}

async function noteAnswer(
  answer: Exclude<GateAnswer, { decision: 'none' }>,
  { agent, now }: Caller,
): Promise<void> {
  const { workspace } = answer;
  const hold = 'hold' in answer ? answer.hold : undefined;
  if (workspace === undefined) return;
  const asks = findHookAgent(agent)?.hooks.capabilities.asks.includes('before-tool') === true;
  if (hold !== undefined) {
    const { notePushes } = await import('../../gate/held-pushes.ts');
    notePushes(workspace, hold, now());
  }
  if (asks && answer.decision === 'ask' && answer.about !== undefined) {
    const { noteQuestion } = await import('../../gate/questions.ts');
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
