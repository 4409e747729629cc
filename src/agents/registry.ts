import { claudeCode } from './claude-code/adapter.ts';
import type { AgentAdapter } from './types.ts';

/** Every agent that lanehold speaks with; adapters are small, so that the hook may load them all. */
const ADAPTERS: ReadonlyMap<string, AgentAdapter> = new Map(
  [claudeCode].map((adapter) => [adapter.name, adapter]),
);

export const AGENT_NAMES: readonly string[] = [...ADAPTERS.keys()];

export function findAdapter(name: string): AgentAdapter | undefined {
  return ADAPTERS.get(name);
}
