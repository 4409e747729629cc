/**
 * Runs a command line of the user (a smoke test) in a shell, in a process group of its own, with its
 * output in a file. When it ends, the rest of the group is killed.
 */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, statSync, type WriteStream } from 'node:fs';
import type { Environment } from '../environment.ts';
import { codeOf } from '../errors.ts';
import { signalGroup } from './run.ts';

export interface ShellRun {
  readonly command: string;
  readonly cwd: string;
  readonly env: Environment;
  readonly timeoutMs: number;
  /** Receives stdout and stderr in order; created readable by its owner only. */
  readonly outputFile: string;
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
}

export type ShellOutcome = { readonly durationMs: number } & (
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'timed-out' }
  /** Ended by a signal, for too much output, or because the caller aborted. */
  | { readonly kind: 'killed'; readonly why: string; readonly aborted: boolean }
  | { readonly kind: 'not-started'; readonly why: string }
);

/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 2_000;
const OUTPUT_CHECK_MS = 250;

export async function runShell(run: ShellRun): Promise<ShellOutcome> {
  const started = performance.now();
  // The child writes to the file itself: a background process could keep a pipe open.
  const output = createWriteStream(run.outputFile, { mode: 0o600 });
  await once(output, 'open');
  try {
    const outcome = await runInGroup(run, output);
    return { ...outcome, durationMs: Math.round(performance.now() - started) };
  } finally {
    output.destroy();
  }
}

type Ending = { kind: 'timed-out' } | { kind: 'killed'; why: string; aborted: boolean };
type Undated = ShellOutcome extends infer O
  ? O extends unknown
    ? Omit<O, 'durationMs'>
    : never
  : never;

async function runInGroup(run: ShellRun, output: WriteStream): Promise<Undated> {
  const { command, cwd, env, signal } = run;
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    return { kind: 'not-started', why: `there is no folder ${cwd}` };
  }
  const started = startShell(command, {
    shell: true,
    cwd,
    env: { ...env },
    stdio: ['ignore', output, output],
    detached: true,
  });
  if ('why' in started) return { kind: 'not-started', why: started.why };
  const { child } = started;
  let ending: Ending | undefined;
  const end = (how: Ending): void => {
    if (ending !== undefined) return;
    ending = how;
    signalGroup(child.pid, 'SIGTERM');
    setTimeout(() => signalGroup(child.pid, 'SIGKILL'), GRACE_MS).unref();
  };
  const onAbort = (): void => end({ kind: 'killed', why: 'interrupted', aborted: true });
  const timer = setTimeout(() => end({ kind: 'timed-out' }), run.timeoutMs);
  const sizes = setInterval(() => {
    // The file may have been removed while the command runs.
    const { size = 0 } = statSync(run.outputFile, { throwIfNoEntry: false }) ?? {};
    if (size <= run.maxOutputBytes) return;
    end({ kind: 'killed', why: `wrote more than ${run.maxOutputBytes} bytes`, aborted: false });
  }, OUTPUT_CHECK_MS);
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();

  const result = await endOf(child);
  clearTimeout(timer);
  clearInterval(sizes);
  signal.removeEventListener('abort', onAbort);
  // The shell has ended; background processes do not belong to the test's result.
  signalGroup(child.pid, 'SIGKILL');

  if (ending !== undefined) return ending;
  return result;
}

function startShell(command: string, options: SpawnOptions) {
  try {
    return { child: spawn(command, options) };
  } catch (error) {
    // Most failures are events of the child; a command line that is too long is thrown.
    if (!(error instanceof Error)) throw error;
    return { why: codeOf(error) || error.message };
  }
}

function endOf(child: ChildProcess): Promise<Undated> {
  return new Promise((resolve) => {
    child.on('error', (error) =>
      resolve({ kind: 'not-started', why: codeOf(error) || error.message }),
    );
    child.on('exit', (exitCode, signal) => {
      if (exitCode !== null) resolve({ kind: 'exited', exitCode });
      else resolve({ kind: 'killed', why: signal ?? 'a signal', aborted: false });
    });
  });
}
