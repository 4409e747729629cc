/** The workers that can be started by name: each agent, and what the settings add. */
import { ExplainedError } from '../../errors.ts';
import type { AdapterName } from '../../features/schema-lanes.ts';
import { nearest } from '../../text/nearest.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { commandAdapter } from './command.ts';
import { copilotCli } from './copilot-cli.ts';
import { cursor } from './cursor.ts';
import { geminiCli } from './gemini-cli.ts';
import { opencode } from './opencode.ts';
import type { LaneSettings, WorkerSettings } from './settings.ts';
import type { WorkerAdapter } from './worker.ts';

export interface Worker {
  readonly name: string;
  readonly adapter: WorkerAdapter;
  readonly settings: WorkerSettings;
}

/** Agents that are started as they are. */
export const AGENTS: readonly WorkerAdapter[] = [
  claudeCode,
  codex,
  geminiCli,
  cursor,
  opencode,
  copilotCli,
];

export class UnknownWorkerError extends ExplainedError {
  override readonly code = 'UNKNOWN_WORKER';
}

/** @throws {UnknownWorkerError} */
export function findWorker(name: string, { workers }: Pick<LaneSettings, 'workers'>): Worker {
  const settings = workers.get(name) ?? plain(name);
  if (settings === undefined) throw unknownWorker(name, [...workers.keys()]);
  return { name, adapter: adapterOf(settings), settings };
}

function plain(name: string): WorkerSettings | undefined {
  const agent = AGENTS.find((it) => it.name === name);
  if (agent === undefined) return undefined;
  return { adapter: agent.name as AdapterName, permissions: 'edit', args: [] };
}

function adapterOf({ adapter, command }: WorkerSettings): WorkerAdapter {
  if (command !== undefined) return commandAdapter(command);
  const agent = AGENTS.find((it) => it.name === adapter);
  if (agent !== undefined) return agent;
  throw new UnknownWorkerError(`there is no agent \`${adapter}\` that lanes can start`);
}

function unknownWorker(name: string, added: readonly string[]): UnknownWorkerError {
  const known = [...added, ...AGENTS.map((it) => it.name)];
  const meant = nearest(name, known);
  return new UnknownWorkerError(`there is no agent and no worker named \`${name}\``, {
    hint: meant === undefined ? `there are: ${known.join(', ')}` : `did you mean \`${meant}\`?`,
  });
}
