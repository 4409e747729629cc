/** What only a person may do: an agent needs the record that its person was asked about exactly it. */
import { basename } from 'node:path';
import { actorOf, agentAbove } from '../agents/actor.ts';
import { ExplainedError } from '../errors.ts';
import { type Workspace, workspaceOn } from '../features/workspace.ts';
import { policyInForce } from '../gate/pending.ts';
import { aboutWords, takeQuestions } from '../gate/questions.ts';
import { projectPlace } from '../git/project.ts';
import type { AppContext } from './context.ts';

/** @throws {ExplainedError} if nobody has agreed. */
export async function assertAgreed(
  context: AppContext,
  workspace: Workspace,
  statement: 'waiver' | 'attestation',
): Promise<void> {
  const { invocation, env, now, store } = context;
  const parents = invocation?.parents() ?? [];
  const inTest = parents.some(isVerification);
  const agent = actorOf(context).agent ?? agentAbove(parents);
  if (agent === undefined && !inTest) return;
  if (statement === 'waiver' && (await policyInForce(workspace)).waive === 'agent') return;
  // The hook knows lanehold by its name, so under another one nobody was asked.
  const isNamed = /^lanehold(?:\.js)?$/.test(basename(invocation?.program ?? ''));
  const about = invocation && isNamed ? aboutWords(invocation.words) : undefined;
  if (invocation !== undefined && about !== undefined) {
    const here = workspaceOn(await store(), projectPlace(invocation.folder), env, now);
    if (takeQuestions(here, [about], now())) return;
  }
  const who = inTest ? 'a smoke test is running' : `${agent} runs this`;
  throw new ExplainedError(`${who}, and no person was asked about exactly this ${statement}`, {
    hint:
      'run it as a command of its own, written out, so that the hook of the agent can ask; ' +
      'or a person runs it in a terminal of their own',
  });
}

/** `lanehold feature verify`, which runs smoke tests. */
function isVerification(words: readonly string[]): boolean {
  const at = words.findIndex((it) => /(?:^|[/\\])lanehold(?:\.js)?$/.test(it));
  return at !== -1 && words.indexOf('verify', at) > at;
}
