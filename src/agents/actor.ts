/** Who runs the command: recorded with evidence, never a ground to trust it more. */
import { userInfo } from 'node:os';
import type { Environment } from '../environment.ts';

export interface Actor {
  /** `agent claude-code`, `ci`, `person ada`. */
  readonly name: string;
  /** `claude-code`; `undefined` if no agent is known to run it. */
  readonly agent: string | undefined;
  readonly session: string | null;
}

/** What agents set for the commands that they run. */
const AGENT_SIGNS: readonly (readonly [variable: string, agent: string])[] = [
  ['CLAUDECODE', 'claude-code'],
  ['COPILOT_CLI', 'copilot-cli'],
  ['CURSOR_AGENT', 'cursor'],
  ['GEMINI_CLI', 'gemini-cli'],
  ['CODEX_CI', 'codex'],
  ['CODEX_THREAD_ID', 'codex'],
  ['OPENCODE', 'opencode'],
  ['ANTIGRAVITY_AGENT', 'antigravity'],
];

export function actorOf({ env }: { readonly env: Environment }): Actor {
  const session = env.CLAUDE_CODE_SESSION_ID ?? null;
  const agent = agentIn(env);
  if (agent !== undefined) return { name: `agent ${agent}`, agent, session };
  const name = isSet(env.CI) ? 'ci' : `person ${env.USER ?? userName()}`;
  return { name, agent, session };
}

function agentIn(env: Environment): string | undefined {
  if (env.LANEHOLD_AGENT) return env.LANEHOLD_AGENT;
  const known = AGENT_SIGNS.find(([variable]) => isSet(env[variable]))?.[1];
  // What some agents set, and others may yet.
  return known ?? (isSet(env.AGENT) || isSet(env.AI_AGENT) ? 'unknown' : undefined);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value);
}

/** A container may run as a user that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    if (error instanceof Error) return 'unknown';
    throw error;
  }
}
