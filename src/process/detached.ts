/** Starts a program that outlives this one: in a session of its own, without terminal or pipes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, statSync } from 'node:fs';
import { ExplainedError } from '../errors.ts';

export interface DetachedOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Receives stdout and stderr. Created readable by its owner only; appended to if it exists. */
  readonly logFile: string;
}

/**
 * Starts a program and returns its pid.
 *
 * @throws {ExplainedError} if it cannot be started.
 */
export function startDetached(
  program: string,
  args: readonly string[],
  { cwd, env, logFile }: DetachedOptions,
): number {
  const log = openSync(logFile, 'a', 0o600);
  try {
    return spawnDetached(program, args, { cwd, env, stdio: ['ignore', log, log] });
  } finally {
    closeSync(log);
  }
}

interface SpawnDetached {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: readonly ['ignore' | number, number, number];
}

/** The caller closes the descriptors that it has opened for `stdio`. */
export function spawnDetached(
  program: string,
  args: readonly string[],
  { cwd, env, stdio }: SpawnDetached,
): number {
  if (process.platform === 'win32') {
    throw new ExplainedError('worker lanes run on Linux and macOS only', {
      hint: 'run lanehold inside of WSL',
    });
  }
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ExplainedError(`there is no folder ${cwd}`, { hint: 'make it, or start elsewhere' });
  }
  let child: ChildProcess;
  try {
    child = spawn(program, args, { cwd, env: { ...env }, stdio: [...stdio], detached: true });
  } catch (error) {
    throw notStarted(program, error);
  }
  // A failed start is reported below, by the missing pid; the event would be unhandled.
  child.on('error', () => undefined);
  child.unref();
  if (child.pid === undefined) throw notStarted(program, undefined);
  return child.pid;
}

function notStarted(program: string, cause: unknown): ExplainedError {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new ExplainedError(`${program} cannot be started${why}`, {
    hint: 'check that it is there and executable, and that no limit of processes is reached',
    cause,
  });
}
