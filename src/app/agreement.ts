/** What only a person may do: an agent needs the record that its person was asked about exactly it. */
import { basename } from 'node:path';
import { actorOf, agentAbove } from '../agents/actor.ts';
import { ExplainedError } from '../errors.ts';
import { type Workspace, workspaceOn } from '../features/workspace.ts';
import { policyInForce } from '../gate/pending.ts';
import { aboutWords, takeQuestions } from '../gate/questions.ts';
import { projectPlace } from '../git/project.ts';
import type { AppContext } from './context.ts';

/** The agent that runs this, by its marks in the environment or by the processes above. */
export function agentOf(context: AppContext): string | undefined {
  return actorOf(context).agent ?? agentAbove(context.invocation?.parents() ?? []);
}

/** @throws {ExplainedError} if there is no record that a person was asked. */
export async function assertAgreed(
  context: AppContext,
  workspace: Workspace,
  statement: 'waiver' | 'attestation',
): Promise<void> {
  const inTest = context.invocation?.parents().some(isVerification) === true;
  const agent = agentOf(context);
  if (agent === undefined && !inTest) return;
  if (statement === 'waiver' && (await policyInForce(workspace)).waive === 'agent') return;
  if (await wasAsked(context)) return;
  const who = inTest ? 'a smoke test is running' : `${agent} runs this`;
  throw new ExplainedError(`${who}, and no person was asked about exactly this ${statement}`, {
    hint:
      'run it as a command of its own, written out, so that the hook of the agent can ask; ' +
      'or a person runs it in a terminal of their own',
  });
}

/** Whether a hook has put exactly this command before a person; the next time it has to ask again. */
export async function wasAsked({ invocation, env, now, store }: AppContext): Promise<boolean> {
  // The hook recognises lanehold by its name, so it has not asked about a program of another name.
  const isNamed = /^lanehold(?:\.js)?$/.test(basename(invocation?.program ?? ''));
  const about = invocation && isNamed ? aboutWords(invocation.words) : undefined;
  if (invocation === undefined || about === undefined) return false;
  const here = workspaceOn(await store(), projectPlace(invocation.folder), env, now);
  return takeQuestions(here, [about], now());
}

/** `lanehold feature verify`, which runs smoke tests. */
function isVerification(words: readonly string[]): boolean {
  const at = words.findIndex((it) => /(?:^|[/\\])lanehold(?:\.js)?$/.test(it));
  return at !== -1 && words.indexOf('verify', at) > at;
}
