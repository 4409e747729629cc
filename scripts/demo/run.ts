import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

export type Env = Readonly<Record<string, string>>;

export interface RunOptions {
  readonly cwd: string;
  /** The whole environment; nothing of this process's own comes along. */
  readonly env: Env;
  readonly input?: string;
  readonly limitMs?: number;
  /** Ends the program and all it started. */
  readonly signal?: AbortSignal;
  /** Each line of stdout and stderr, as it comes. */
  readonly onLine?: (line: string) => void;
}

export interface Outcome {
  /** The exit code; 128 + number if a signal ended it, as a shell says it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  /** From just before the start to the end of the process. */
  readonly wallMs: number;
}

const DEFAULT_LIMIT_MS = 60_000;
/** A grandchild may hold a pipe open after the program has ended; its output is not waited for. */
const OUTPUT_GRACE_MS = 1000;

/**
 * Runs a program to its end in a process group of its own, and ends what it left running there.
 *
 * @throws {Error} if the program cannot be started.
 */
export async function run(
  program: string,
  args: readonly string[],
  options: RunOptions,
): Promise<Outcome> {
  const { cwd, env, input = '', limitMs = DEFAULT_LIMIT_MS, signal, onLine } = options;
  signal?.throwIfAborted();
  const started = performance.now();
  const child = spawn(program, args, { cwd, env, stdio: 'pipe', detached: true });
  // A program may end without reading what it was given.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const stdout = collect(child.stdout, onLine);
  const stderr = collect(child.stderr, onLine);

  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    endGroup(child);
  }, limitMs);
  const onAbort = (): void => endGroup(child);
  signal?.addEventListener('abort', onAbort);
  try {
    const { code, wallMs } = await exited(child, started);
    signal?.throwIfAborted();
    return { code, stdout: stdout(), stderr: stderr(), timedOut, wallMs };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    endGroup(child);
  }
}

function collect(stream: Readable, onLine: RunOptions['onLine']): () => string {
  const parts: string[] = [];
  stream.setEncoding('utf8').on('data', (part: string) => parts.push(part));
  if (onLine) createInterface({ input: stream, crlfDelay: Infinity }).on('line', onLine);
  return () => parts.join('');
}

function exited(child: ChildProcess, started: number): Promise<Pick<Outcome, 'code' | 'wallMs'>> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, by) => {
      const wallMs = performance.now() - started;
      const done = (): void =>
        resolve({ code: code ?? 128 + (by ? constants.signals[by] : 0), wallMs });
      const grace = setTimeout(done, OUTPUT_GRACE_MS);
      child.once('close', () => {
        clearTimeout(grace);
        done();
      });
    });
  });
}

/** Kills the program's process group: only what it started itself can be in there. */
function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
