import { constants } from 'node:os';
import { execa } from 'execa';

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
  const output = onLine === undefined ? ('pipe' as const) : eachLine(onLine);
  const started = performance.now();
  let wallMs = 0;
  const running = execa(program, args, {
    ...{ cwd, env, extendEnv: false, input, stdout: output, stderr: output },
    ...{ timeout: limitMs, killSignal: 'SIGKILL', killDescendants: true },
    ...{ stripFinalNewline: false, reject: false },
  });
  const end = (): void => void running.kill();
  running.nodeChildProcess.once('exit', () => {
    wallMs = performance.now() - started;
    end();
  });
  // Not `cancelSignal`, which ends it a moment later: its folder may be removed by then.
  signal?.addEventListener('abort', end);
  const ended = await running;
  signal?.removeEventListener('abort', end);
  signal?.throwIfAborted();
  const { exitCode, signal: endedBy, cause, stdout, stderr, timedOut } = ended;
  if (exitCode === undefined && endedBy === undefined) throw cause;
  // As a shell tells an end by a signal.
  const code = exitCode ?? 128 + constants.signals[endedBy as NodeJS.Signals];
  return { code, stdout, stderr, timedOut, wallMs };
}

const eachLine = (onLine: (line: string) => void) =>
  function* (line: string) {
    onLine(line);
    yield line;
  };
