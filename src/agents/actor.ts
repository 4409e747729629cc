/** Who runs the command. It is recorded with evidence; what only a person may do depends on it. */
import { userInfo } from 'node:os';
import { basename } from 'node:path';
import { attempt } from '../base/errors.ts';
import { AGENTS } from './registry.ts';

export interface Actor {
  /** `agent <its name>`, `ci`, `person ada`. */
  readonly name: string;
  /** The agent's name; `undefined` if no agent is known to run the command. */
  readonly agent: string | undefined;
  readonly session: string | null;
}

/** Variables of agents that lanehold does not know otherwise. */
export const ANY_AGENT: readonly string[] = ['AGENT', 'AI_AGENT'];

export function actorOf({ env }: { readonly env: NodeJS.ProcessEnv }): Actor {
  const sessions = AGENTS.map(({ marks }) => marks.session && env[marks.session]);
  const session = sessions.find((it) => it !== undefined) ?? null;
  const agent = agentIn(env);
  if (agent !== undefined) return { name: `agent ${agent}`, agent, session };
  // A container may run as a user that has no name.
  const name = isSet(env.CI)
    ? 'ci'
    : `person ${env.USER ?? attempt(() => userInfo().username) ?? 'unknown'}`;
  return { name, agent, session };
}

function agentIn(env: NodeJS.ProcessEnv): string | undefined {
  if (env.LANEHOLD_AGENT) return env.LANEHOLD_AGENT;
  const isMarked = (variables: readonly string[]) => variables.some((it) => isSet(env[it]));
  const known = AGENTS.find(({ marks }) => isMarked(marks.present));
  return known?.name ?? (isMarked(ANY_AGENT) ? 'unknown' : undefined);
}

/**
 * The environment without the marks of agents: some test runners print only failures for an agent.
 * `LANEHOLD_AGENT` still names the agent to a lanehold that is started below.
 */
export function unmarked(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const agent = agentIn(env);
  if (agent === undefined) return env;
  const marks = new Set([...ANY_AGENT, ...AGENTS.flatMap((it) => it.marks.present)]);
  const others = Object.entries(env).filter(([name]) => !marks.has(name));
  return { ...Object.fromEntries(others), LANEHOLD_AGENT: agent };
}

/**
 * The agent among the processes above a command. An editor that has an agent does not count: a person's own
 * terminal runs below it, too.
 *
 * @param parents the words of each process, the nearest first.
 */
export function agentAbove(parents: readonly (readonly string[])[]): string | undefined {
  return parents.map(agentOfProcess).find((it) => it !== undefined);
}

function agentOfProcess([program = '', script = '']: readonly string[]): string | undefined {
  // The second word of such a command is the script, in the folder of its package.
  const inPackage = /\/node_modules\/(?:@[^/]+\/)?([^/]+)\/(?!.*\/node_modules\/)/.exec(script);
  const started = [basename(program), basename(script).replace(/\.[cm]?js$/, '')];
  const found = AGENTS.find(
    ({ name, guards, worker }) =>
      name === inPackage?.[1] ||
      [...(guards?.programs ?? []), worker?.program].some((it) => it && started.includes(it)),
  );
  return found?.name;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value);
}
