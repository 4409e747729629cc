/** Chooses the worker of a lane. */
import { delimiter, isAbsolute } from 'node:path';
import type { Environment } from '../../environment.ts';
import { ExplainedError } from '../../errors.ts';
import { isExecutable, onPath } from '../../files/executable.ts';
import { AGENTS, findWorker, type Worker } from './registry.ts';
import type { LaneSettings } from './settings.ts';

export class NoWorkerError extends ExplainedError {
  override readonly code = 'NO_WORKER';
}

export interface Route extends Worker {
  /** The key of the account's breaker: workers of one account share its limits. */
  readonly account: string;
  /** Absolute path of the program. */
  readonly program: string;
}

/**
 * @param wish `current`, `opposite`, an agent or a worker: the lane's own wish, else the settings'.
 * @param current the name of the agent that runs lanehold. For a person, or an unknown agent, the
 *   first installed agent is used.
 * @throws {UnknownWorkerError | NoWorkerError} if there is none, or its program is not installed.
 */
export function routeAgent(
  wish: string,
  current: string | undefined,
  settings: Pick<LaneSettings, 'workers' | 'opposite'>,
  env: Environment,
): Route {
  const worker = findWorker(wishedName(wish, current, settings, env), settings);
  const { program: own, account } = worker.settings;
  const wanted = own ?? worker.adapter.program;
  const program = pathOf(wanted, env);
  if (program === undefined) {
    throw new NoWorkerError(`\`${wanted}\`, the program of \`${worker.name}\`, is not on PATH`, {
      hint: `install it, or choose another with \`--agent\`; ${installedWords(env)}`,
    });
  }
  return { ...worker, program, account: account ?? worker.adapter.account(env) };
}

function wishedName(
  wish: string,
  current: string | undefined,
  { opposite: opposites }: Pick<LaneSettings, 'opposite'>,
  env: Environment,
): string {
  if (wish !== 'current' && wish !== 'opposite') return wish;
  const here = current === undefined || current === 'unknown' ? installed(env)[0] : current;
  if (here === undefined) {
    throw new NoWorkerError(`\`${wish}\` cannot be resolved: no agent runs this command`, {
      hint: `name one with \`--agent\` or \`lanes.agent\`; ${installedWords(env)}`,
    });
  }
  if (wish === 'current') return here;
  const opposite = opposites.get(here);
  if (opposite !== undefined) return opposite;
  throw new NoWorkerError(`\`${here}\` has no opposite`, {
    hint: `name one in \`lanes.opposite\`: { "${here}": "…" }`,
  });
}

function installedWords(env: Environment): string {
  const names = installed(env);
  if (names.length === 0) return 'none that lanehold can start is installed';
  return `installed: ${names.join(', ')}`;
}

/** The agents that are installed on this machine. */
export function installed(env: Environment): readonly string[] {
  return AGENTS.filter(({ program }) => pathOf(program, env) !== undefined).map(({ name }) => name);
}

/** The path of a program that is given by its name or by an absolute path. */
function pathOf(program: string, env: Environment): string | undefined {
  if (!program.includes('/')) return onPath(program, absolutePath(env));
  return isAbsolute(program) && isExecutable(program) ? program : undefined;
}

/** A worker starts in another folder, where relative folders of PATH lead elsewhere. */
function absolutePath({ PATH = '' }: Environment): Environment {
  return { PATH: PATH.split(delimiter).filter(isAbsolute).join(delimiter) };
}
