/** Some acts need a person: an agent needs the record that its person was asked about exactly this one. */
import { basename } from 'node:path';
import { type Actor, actorOf, agentAbove } from '../agents/actor.ts';
import { findHookAgent } from '../agents/registry.ts';
import { ExplainedError } from '../base/errors.ts';
import { gitIn } from '../base/git/git-in.ts';
import { projectPlace } from '../base/git/project.ts';
import { shellWord } from '../base/text/shell-quote.ts';
import { type Workspace, workspaceOn } from '../features/workspace.ts';
import { policyInForce } from '../gate/pending.ts';
import { aboutWords, takeQuestions } from '../gate/questions.ts';
import type { AppContext } from './context.ts';

/** The agent that runs this, by its marks in the environment or by the processes above. */
export function agentOf(context: AppContext): string | undefined {
  return actorOf(context).agent ?? agentAbove(context.invocation?.parents() ?? []);
}

/** The agent or the smoke test that runs this; `undefined` for a person. */
export function programAbove(context: AppContext): string | undefined {
  const inTest = context.invocation?.parents().some(runsTests) === true;
  return inTest ? 'a smoke test' : agentOf(context);
}

type Act = 'waiver' | 'attestation' | 'rule' | 'deletion' | 'acceptance' | 'decision';

/**
 * @returns who runs the command: the name that the record gets.
 * @throws {ExplainedError} if an agent does, and there is no record that a person was asked.
 */
export async function agreedBy(
  context: AppContext,
  workspace: Workspace,
  kind: Act,
): Promise<Actor> {
  const runner = actorOf(context);
  const program = programAbove(context);
  if (program === undefined) return runner;
  if (kind === 'waiver' && (await policyInForce(workspace)).waive === 'agent') return runner;
  if (await wasAsked(context)) return runner;
  throw notAsked(context, kind, program);
}

function notAsked(context: AppContext, kind: Act, program: string) {
  const capabilities = findHookAgent(program)?.hooks.capabilities;
  // No hook asks about rules, nor about which project a clone is.
  const isAsked = kind !== 'rule' && kind !== 'decision';
  const canAsk = isAsked && (capabilities === undefined || capabilities.asks.length > 0);
  const hint = canAsk
    ? 'run it as a command of its own, written out, so that the hook of the agent can ask; ' +
      'or a person runs it in a terminal of their own'
    : `a person runs this in a terminal of their own: ${commandLine(context)}`;
  return new ExplainedError(
    `${program} runs this, and no person was asked about exactly this ${kind}`,
    { hint },
  );
}

function commandLine({ cwd, invocation }: AppContext): string {
  const words = ['lanehold', ...(invocation?.words ?? []), '--project', cwd];
  return words.map(shellWord).join(' ');
}

/** Whether a hook has put exactly this command before a person; the next time it has to ask again. */
export async function wasAsked({ invocation, env, now, store }: AppContext): Promise<boolean> {
  // The hook recognises lanehold by its name, so it has not asked about a program of another name.
  const isNamed = /^lanehold(?:\.js)?$/.test(basename(invocation?.program ?? ''));
  const about = invocation && isNamed ? aboutWords(invocation.words) : undefined;
  if (invocation === undefined || about === undefined) return false;
  const place = projectPlace(invocation.folder);
  const here = workspaceOn(await store(), place, gitIn(place.root, env), now);
  return takeQuestions(here, [about], now());
}

/** Commands of lanehold that run smoke tests: verify, learn, init and discover. */
function runsTests(words: readonly string[]): boolean {
  const at = words.findIndex((it) => /(?:^|[/\\])lanehold(?:\.js)?$/.test(it));
  return at !== -1 && words.slice(at).some((it) => /^(?:verify|learn|init|--try)$/.test(it));
}
