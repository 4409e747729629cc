/**
 * Starts programs: those whose whole output is read, and those that outlive this process. Command lines
 * of the user are run by `program.ts`.
 *
 * The first start loads `node:child_process`: most hooks start no program, and it loads half of `net`.
 */
import type { ChildProcess, SpawnSyncOptions } from 'node:child_process';
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { attempt, codeOf, ExplainedError } from '../errors.ts';

export interface Surroundings {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface RunOptions extends Surroundings {
  readonly input?: string | Buffer | undefined;
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
}

export type Outcome =
  | {
      readonly kind: 'exited';
      readonly exitCode: number;
      readonly stdout: Buffer;
      /** The last some thousand characters. */
      readonly stderr: string;
    }
  /** `why` is a clause: `timed out after 10 s`, `wrote more than 256 MB`, `not found`. */
  | { readonly kind: 'failed'; readonly why: string };

const RUN_LIMITS = {
  timeoutMs: 20_000,
  maxOutputBytes: 256 * 1024 * 1024,
  stderrChars: 4_000,
} as const;

const childProcess = () => process.getBuiltinModule('node:child_process');

/** Never rejects: a program that cannot be started is an outcome. Uses no shell. */
export function run(
  program: string,
  args: readonly string[],
  options: RunOptions,
): Promise<Outcome> {
  const { cwd, input, timeoutMs, maxOutputBytes } = { ...RUN_LIMITS, ...options };
  return new Promise<Outcome>((resolve) => {
    const child: ChildProcess = childProcess().spawn(program, args, {
      cwd,
      env: options.env,
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      // The program gets a group and session of its own: programs that git has started, such as
      // filters and ssh, can be ended with it, and have no terminal for questions.
      detached: true,
    });
    let stderr = '';
    const chunks: Buffer[] = [];
    let bytes = 0;
    let stopped: string | undefined;

    const stop = (why: string): void => {
      stopped ??= why;
      if (child.pid !== undefined) sendSignal(-child.pid, 'SIGKILL');
      // A process that has left the group may keep the pipes open, so this does not wait for it.
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    const timer = setTimeout(() => stop(`timed out after ${timeoutMs / 1000} s`), timeoutMs);
    const end = (outcome: Outcome): void => {
      clearTimeout(timer);
      resolve(outcome);
    };

    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-RUN_LIMITS.stderrChars);
    });
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxOutputBytes) stop(`wrote more than ${maxOutputBytes} bytes`);
      else chunks.push(chunk);
    });
    child.on('error', (error) => end({ kind: 'failed', why: whyNotStarted(error, cwd) }));
    child.on('close', (exitCode, signal) => {
      if (stopped !== undefined) end({ kind: 'failed', why: stopped });
      else if (exitCode === null) end({ kind: 'failed', why: `was killed by ${signal}` });
      else end({ kind: 'exited', exitCode, stdout: Buffer.concat(chunks), stderr });
    });
    // If the program exits before it has read everything, its exit code tells.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  }).catch((error) => ({ kind: 'failed', why: whyNotStarted(error, cwd) }));
}

/** @param target a pid, or a negative number for a group. */
export function sendSignal(target: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    const code = codeOf(error);
    // The process has ended meanwhile, or changed its user.
    if (code === 'ESRCH' || code === 'EPERM') return false;
    throw error;
  }
}

/** Why a program did not start: a missing program and a missing folder give the same error code. */
export function whyNotStarted(error: unknown, cwd: string): string {
  if (codeOf(error) === 'ENOENT')
    return existsSync(cwd) ? 'not found' : `there is no folder ${cwd}`;
  if (codeOf(error) === 'E2BIG') return 'it would get more text than this system takes';
  return error instanceof Error ? error.message : String(error);
}

/**
 * Runs a program on the streams of this one. Waits for it, and returns its exit code as a shell
 * does: 128 plus the number for a signal.
 *
 * @throws {ExplainedError} if it cannot be started.
 */
export function runAttached(
  program: string,
  args: readonly string[],
  { cwd, env }: Surroundings,
): number {
  const options: SpawnSyncOptions = { cwd, env, stdio: 'inherit' };
  // Ctrl-C reaches both processes, and is meant for the program: whoever listens here does not hear it.
  const listeners = process.listeners('SIGINT');
  const ignore = (): void => undefined;
  process.removeAllListeners('SIGINT').on('SIGINT', ignore);
  const { status, signal, error } = childProcess().spawnSync(program, args, options);
  // Node tells it once it has come to the next turn of its loop.
  const listenAgain = (): void => {
    process.off('SIGINT', ignore);
    for (const it of listeners) process.on('SIGINT', it);
  };
  setImmediate(() => setImmediate(listenAgain));
  if (status !== null || signal !== null)
    return status ?? 128 + (signal ? constants.signals[signal] : 0);
  throw new ExplainedError(`${program} could not be started: ${whyNotStarted(error, cwd)}`);
}

/**
 * Starts a program that outlives this one, in a session of its own, without terminal or pipes, and
 * returns its pid.
 *
 * @param logFile receives stdout and stderr; created readable by its owner only, appended to if it exists.
 * @throws {ExplainedError} if it cannot be started.
 */
export function startDetached(
  program: string,
  args: readonly string[],
  { cwd, env, logFile }: Surroundings & { readonly logFile: string },
): number {
  const log = openSync(logFile, 'a', 0o600);
  try {
    return spawnDetached(program, args, { cwd, env, stdio: ['ignore', log, log] });
  } finally {
    closeSync(log);
  }
}

/** Starts a program with descriptors, which the caller has opened and closes. */
export function spawnDetached(
  program: string,
  args: readonly string[],
  { cwd, env, stdio }: Surroundings & { readonly stdio: readonly ('ignore' | number)[] },
): number {
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ExplainedError(`there is no folder ${cwd}`, { hint: 'make it, or start elsewhere' });
  }
  const options = { cwd, env, stdio: [...stdio], detached: true };
  // Most failures are events of the child, without a pid; a command line that is too long is thrown.
  const child = attempt(() => childProcess().spawn(program, args, options));
  child?.on('error', () => undefined);
  child?.unref();
  if (child?.pid !== undefined) return child.pid;
  throw new ExplainedError(`${program} cannot be started`, {
    hint: 'check that it is there and executable, and that no limit of processes is reached',
  });
}

/** Stdout of a small program of the system that answers at once. @throws if it exits with an error. */
export function systemOutput(program: string, args: readonly string[]): string {
  return childProcess().execFileSync(program, args, {
    env: { LC_ALL: 'C' },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
