/**
 * Starts a program and returns how it ended. For short programs whose whole output is needed, such
 * as git. Uses only `node:child_process`, because it is on the hook path.
 */
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Environment } from '../environment.ts';
import { codeOf } from '../errors.ts';

export interface RunOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly input?: string | Buffer;
  readonly timeoutMs?: number;
  readonly maxOutputBytes?: number;
}

export type Outcome =
  | {
      readonly kind: 'exited';
      readonly exitCode: number;
      readonly stdout: Buffer;
      readonly stderr: string;
    }
  /** `why` is a clause: `timed out after 10 s`, `wrote more than 256 MB`, `not found`. */
  | { readonly kind: 'failed'; readonly why: string };

const DEFAULT_TIMEOUT_MS = 20_000;
const DEFAULT_OUTPUT_BYTES = 256 * 1024 * 1024;
const STDERR_CHARS = 4_000;

/** Never rejects: a program that cannot be started is an outcome. Uses no shell. */
export async function run(
  program: string,
  args: readonly string[],
  options: RunOptions,
): Promise<Outcome> {
  // Loaded here, because most hooks start no program, and the module loads half of `net`.
  const { spawn } = await import('node:child_process');
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxOutputBytes = DEFAULT_OUTPUT_BYTES } = options;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      windowsHide: true,
      // A group and session of its own: what git has started, such as filters and ssh, can be ended
      // with it and has no terminal to ask on.
      detached: process.platform !== 'win32',
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    let stderr = '';
    let stopped: string | undefined;

    const stop = (why: string): void => {
      stopped ??= why;
      killGroup(child);
      // A process that has left the group may keep the pipes open; do not wait for it.
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    const timer = setTimeout(() => stop(`timed out after ${timeoutMs / 1000} s`), timeoutMs);

    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxOutputBytes) stop(`wrote more than ${maxOutputBytes} bytes`);
      else chunks.push(chunk);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < STDERR_CHARS) stderr += text;
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      resolve({ kind: 'failed', why: whyNotStarted(error, options.cwd) });
    });
    child.on('close', (exitCode, signal) => {
      clearTimeout(timer);
      if (stopped !== undefined) resolve({ kind: 'failed', why: stopped });
      else if (exitCode === null) resolve({ kind: 'failed', why: `was killed by ${signal}` });
      else resolve({ kind: 'exited', exitCode, stdout: Buffer.concat(chunks), stderr });
    });
    if (options.input !== undefined) {
      // The program may exit before it has read everything; its exit code tells.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(options.input);
    }
  });
}

function killGroup(child: ChildProcess): void {
  if (process.platform === 'win32') child.kill('SIGKILL');
  else signalGroup(child.pid, 'SIGKILL');
}

/** @param pid of the group's leader; undefined if it was not started. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid !== undefined) sendSignal(-pid, signal);
}

/** @param target a pid, or less than zero for a group. */
export function sendSignal(target: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    const code = codeOf(error);
    // It has ended meanwhile, or changed its user.
    if (code === 'ESRCH' || code === 'EPERM') return false;
    throw error;
  }
}

/** A missing program and a missing folder give the same error code. */
export function whyNotStarted({ code, message }: NodeJS.ErrnoException, cwd: string): string {
  if (code !== 'ENOENT') return message;
  return existsSync(cwd) ? 'not found' : `there is no folder ${cwd}`;
}

/**
 * Starts a program that writes to the user's terminal itself; only its input is given. Returns its
 * exit code; for a signal 128 and the signal's number, as shells do.
 *
 * @throws what the system says if it cannot be started.
 */
export async function runAttached(
  program: string,
  args: readonly string[],
  { cwd, env, input }: Pick<RunOptions, 'cwd' | 'env'> & { readonly input: Buffer },
): Promise<number> {
  const [{ spawn }, { constants }] = await Promise.all([
    import('node:child_process'),
    import('node:os'),
  ]);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'inherit', 'inherit'] });
    child.on('error', reject);
    child.on('exit', (exitCode, signal) => {
      resolve(exitCode ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
    // The program may exit before it has read everything; its exit code tells.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
