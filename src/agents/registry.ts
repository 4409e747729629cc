/** The agents, and what is decided between them. Nothing else knows one of them by name. */
import * as all from './all.ts';
import type { AgentDefinition } from './definition.ts';

/** Where none is named, the first of these that fits is meant; others follow by name. */
const PREFERRED = ['claude-code', 'codex', 'gemini-cli', 'cursor', 'opencode', 'copilot-cli'];

/** Who `opposite` is, as long as the settings do not say otherwise. */
export const OPPOSITES: Readonly<Record<string, string>> = {
  'claude-code': 'codex',
  codex: 'claude-code',
};

export const AGENTS: readonly AgentDefinition[] = Object.values<AgentDefinition>(all).sort(
  (one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1),
);

function rank({ name }: AgentDefinition): number {
  const at = PREFERRED.indexOf(name);
  return at === -1 ? PREFERRED.length : at;
}

type Part = 'hooks' | 'guards' | 'install' | 'worker';
type With<P extends Part> = AgentDefinition & Required<Pick<AgentDefinition, P>>;

/** The agents of which lanehold knows this part. */
export function agentsWith<P extends Part>(part: P): readonly With<P>[] {
  return AGENTS.filter((it): it is With<P> => it[part] !== undefined);
}

export type HookAgent = With<'hooks'>;

export function findHookAgent(name: string): HookAgent | undefined {
  return agentsWith('hooks').find((it) => it.name === name);
}
