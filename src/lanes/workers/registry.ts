/** The workers that can be started by name: the agents, and those of the settings. */

import { claudeCode } from '../../agents/claude-code/worker.ts';
import { codex } from '../../agents/codex/worker.ts';
import { copilotCli } from '../../agents/copilot-cli/worker.ts';
import { cursor } from '../../agents/cursor/worker.ts';
import { geminiCli } from '../../agents/gemini-cli/worker.ts';
import { opencode } from '../../agents/opencode/worker.ts';
import { commandAdapter } from '../../agents/worker/command.ts';
import type { WorkerAdapter } from '../../agents/worker/worker.ts';
import type { AdapterName } from '../../config/schema-lanes.ts';
import { ExplainedError } from '../../errors.ts';
import { nearest } from '../../text/nearest.ts';
import type { LaneSettings, WorkerSettings } from './settings.ts';

export interface Worker {
  readonly name: string;
  readonly adapter: WorkerAdapter;
  readonly settings: WorkerSettings;
}

/** Agents that can be started without settings. */
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
