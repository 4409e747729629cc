/** The list of agents, their order, and their pairs. No other module names an agent. */
import * as all from './all.ts';
import type { AgentDefinition } from './definition.ts';

/** The order of preference if no agent is named; others follow by name. */
const PREFERRED = ['claude-code', 'codex', 'gemini-cli', 'cursor', 'opencode', 'copilot-cli'];

/** The agent that `opposite` means for each agent, unless the settings say otherwise. */
export const OPPOSITES: Readonly<Record<string, string>> = {
  'claude-code': 'codex',
  codex: 'claude-code',
};

/** Agents that run the user's hook file of another one; the payload shows which of them sent it. */
export const RUNS_HOOKS_OF: Readonly<Record<string, string>> = {
  'vscode-copilot': 'copilot-cli',
};

export const AGENTS: readonly AgentDefinition[] = Object.values<AgentDefinition>(all).sort(
  (one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1),
);

function rank({ name }: AgentDefinition): number {
  const at = PREFERRED.indexOf(name);
  return at === -1 ? PREFERRED.length : at;
}

type Part = 'hooks' | 'guards' | 'install' | 'worker' | 'transcripts';
type With<P extends Part> = AgentDefinition & Required<Pick<AgentDefinition, P>>;

export function agentsWith<P extends Part>(part: P): readonly With<P>[] {
  return AGENTS.filter((it): it is With<P> => it[part] !== undefined);
}

export type HookAgent = With<'hooks'>;

export function findHookAgent(name: string): HookAgent | undefined {
  return agentsWith('hooks').find((it) => it.name === name);
}
