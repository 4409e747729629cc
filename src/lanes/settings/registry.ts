/** The workers that can be started by name (agents and those of the settings), and the choice for a lane. */
import { delimiter, isAbsolute } from 'node:path';
import type { AgentWorker } from '../../agents/definition.ts';
import { agentsWith } from '../../agents/registry.ts';
import { accountOf } from '../../agents/worker/environment.ts';
import { ExplainedError } from '../../base/errors.ts';
import { isExecutable, onPath } from '../../base/files/executable.ts';
import { nearest } from '../../base/text/nearest.ts';
import type { LaneSettings, WorkerSettings } from './settings.ts';

export interface WorkerAdapter
  extends Pick<AgentWorker, 'program' | 'keepsTo' | 'load' | 'attach'> {
  readonly name: string;
  /** The account whose limits a run uses: the same text for the same account, without a secret. */
  account(env: NodeJS.ProcessEnv): string;
}

export type Worker = ReturnType<typeof findWorker>;

export const AGENT_WORKERS: readonly WorkerAdapter[] = agentsWith('worker').map(
  ({ name, worker }) => ({
    ...worker,
    name,
    account: (env) => accountOf(name, env, worker.credentials),
  }),
);

export function commandAdapter([program, ...args]: readonly [string, ...string[]]): WorkerAdapter {
  return {
    name: 'command',
    program,
    account: (env) => accountOf(`command ${program}`, env, { keys: [] }),
    load: async () => (await import('../../agents/worker/command.ts')).commandWorker(args),
  };
}

/** @throws {ExplainedError} if there is no such worker. */
export function findWorker(name: string, { workers }: Pick<LaneSettings, 'workers'>) {
  const settings: WorkerSettings = workers.get(name) ?? {
    adapter: name,
    permissions: 'edit',
    args: [],
  };
  const { command, adapter: wanted } = settings;
  const agent = AGENT_WORKERS.find((it) => it.name === wanted);
  const adapter = command === undefined ? agent : commandAdapter(command);
  if (adapter !== undefined) return { name, adapter, settings };
  const known = [...workers.keys(), ...AGENT_WORKERS.map((it) => it.name)];
  const meant = nearest(name, known);
  throw new ExplainedError(`there is no agent and no worker named \`${name}\``, {
    code: 'UNKNOWN_WORKER',
    hint: meant === undefined ? `there are: ${known.join(', ')}` : `did you mean \`${meant}\`?`,
  });
}

const noWorker = (fact: string, hint: string): ExplainedError =>
  new ExplainedError(fact, { code: 'NO_WORKER', hint });

/**
 * @param wish `current`, `opposite`, an agent or a worker: that of the lane, else that of the settings.
 * @param current the name of the agent that runs lanehold. For a person, or an unknown agent, the
 *   first installed agent is used.
 * @throws {ExplainedError} if there is none, or its program is not installed.
 */
export function routeAgent(
  wish: string,
  current: string | undefined,
  settings: Pick<LaneSettings, 'workers' | 'opposite'>,
  env: NodeJS.ProcessEnv,
) {
  const worker = findWorker(wishedName(wish, current, settings, env), settings);
  const { program: wanted = worker.adapter.program, account } = worker.settings;
  const program = pathOf(wanted, env);
  if (program !== undefined) {
    return { ...worker, program, account: account ?? worker.adapter.account(env) };
  }
  const hint = `install it, or choose another with \`--agent\`; ${startable(settings, env)}`;
  throw noWorker(`\`${wanted}\`, the program of \`${worker.name}\`, is not on PATH`, hint);
}

function wishedName(
  wish: string,
  current: string | undefined,
  settings: Pick<LaneSettings, 'workers' | 'opposite'>,
  env: NodeJS.ProcessEnv,
): string {
  if (wish !== 'current' && wish !== 'opposite') return wish;
  const here = current === undefined || current === 'unknown' ? installed(env)[0] : current;
  if (here === undefined) {
    const hint = `name one with \`--agent\` or \`lanes.agent\`; ${startable(settings, env)}`;
    throw noWorker(`\`${wish}\` cannot be resolved: no agent runs this command`, hint);
  }
  if (wish === 'current') return here;
  const opposite = settings.opposite.get(here);
  if (opposite !== undefined) return opposite;
  throw noWorker(
    `\`${here}\` has no opposite`,
    `name one in \`lanes.opposite\`: { "${here}": "…" }`,
  );
}

function startable({ workers }: Pick<LaneSettings, 'workers'>, env: NodeJS.ProcessEnv): string {
  const names = [...workers.keys(), ...installed(env)].join(', ');
  return names === '' ? 'none that lanehold can start is installed' : `there are: ${names}`;
}

export function installed(env: NodeJS.ProcessEnv): readonly string[] {
  return AGENT_WORKERS.flatMap(({ name, program }) => (pathOf(program, env) ? name : []));
}

/** The path of a program that is given by its name or by an absolute path. */
function pathOf(program: string, env: NodeJS.ProcessEnv): string | undefined {
  if (program.includes('/')) {
    return isAbsolute(program) && isExecutable(program) ? program : undefined;
  }
  // A worker starts in another folder, where relative folders of PATH lead elsewhere.
  const folders = (env.PATH ?? '').split(delimiter).filter(isAbsolute);
  return onPath(program, { PATH: folders.join(delimiter) });
}
