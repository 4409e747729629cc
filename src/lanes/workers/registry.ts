/** The workers that can be started by name: the agents, and those of the settings. */
import type { AgentWorker } from '../../agents/definition.ts';
import { agentsWith } from '../../agents/registry.ts';
import { accountOf } from '../../agents/worker/environment.ts';
import type { Environment } from '../../environment.ts';
import { ExplainedError } from '../../errors.ts';
import { nearest } from '../../text/nearest.ts';
import type { LaneSettings, WorkerSettings } from './settings.ts';

/** An agent, or any program of the user's. */
export interface WorkerAdapter
  extends Pick<AgentWorker, 'program' | 'keepsTo' | 'load' | 'attach'> {
  readonly name: string;
  /** Whose limits a run uses up: same text, same account. It contains no secret. */
  account(env: Environment): string;
}

export interface Worker {
  readonly name: string;
  readonly adapter: WorkerAdapter;
  readonly settings: WorkerSettings;
}

/** Agents that can be started without settings. */
export const AGENTS: readonly WorkerAdapter[] = agentsWith('worker').map(({ name, worker }) => ({
  ...worker,
  name,
  account: (env) => accountOf(name, env, worker.credentials),
}));

export function commandAdapter([program, ...args]: readonly [string, ...string[]]): WorkerAdapter {
  return {
    name: 'command',
    program,
    account: (env) => accountOf(`command ${program}`, env, { keys: [] }),
    load: async () => (await import('../../agents/worker/command.ts')).commandWorker(args),
  };
}

export class UnknownWorkerError extends ExplainedError {
  override readonly code = 'UNKNOWN_WORKER';
}

/** @throws {UnknownWorkerError} */
export function findWorker(name: string, { workers }: Pick<LaneSettings, 'workers'>): Worker {
  const agents = AGENTS.map((it) => it.name);
  const settings = workers.get(name);
  if (settings !== undefined) return { name, adapter: adapterOf(settings), settings };
  if (agents.includes(name)) {
    const plain: WorkerSettings = { adapter: name, permissions: 'edit', args: [] };
    return { name, adapter: adapterOf(plain), settings: plain };
  }
  const known = [...workers.keys(), ...agents];
  const meant = nearest(name, known);
  throw new UnknownWorkerError(`there is no agent and no worker named \`${name}\``, {
    hint: meant === undefined ? `there are: ${known.join(', ')}` : `did you mean \`${meant}\`?`,
  });
}

function adapterOf({ adapter, command }: WorkerSettings): WorkerAdapter {
  if (command !== undefined) return commandAdapter(command);
  const agent = AGENTS.find((it) => it.name === adapter);
  if (agent !== undefined) return agent;
  throw new UnknownWorkerError(`there is no agent \`${adapter}\` that lanes can start`);
}
