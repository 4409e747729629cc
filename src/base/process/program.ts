/**
 * Runs command lines of the user, through execa. The first start loads it, because its import takes
 * longer than a whole hook may; programs whose output is read are started by `run.ts`.
 */
import { closeSync, constants, openSync, statSync } from 'node:fs';
import { definedOnly } from '../environment.ts';
import { codeOf } from '../errors.ts';
import { cutLog } from '../files/cut-log.ts';
import type { Surroundings } from './run.ts';

export interface ShellRun extends Surroundings {
  readonly command: string;
  readonly timeoutMs: number;
  /** Receives stdout and stderr in order; created readable by its owner only. */
  readonly outputFile: string;
  readonly maxOutputBytes: number;
  readonly signal: AbortSignal;
}

export type ShellOutcome = { readonly durationMs: number } & (
  | { readonly kind: 'exited'; readonly exitCode: number }
  | { readonly kind: 'timed-out' }
  /** The command was ended by a signal, for too much output, or because the caller aborted. */
  | { readonly kind: 'killed'; readonly why: string; readonly aborted: boolean }
  | { readonly kind: 'not-started'; readonly why: string }
);

/** The time between SIGTERM and SIGKILL. */
const GRACE_MS = 2_000;
const OUTPUT_CHECK_MS = 50;

/**
 * Runs a command line of the user, such as a smoke test, in a shell and a process group of its own,
 * with its output in a file. When the shell ends, the rest of the group is killed.
 */
export async function runShell(run: ShellRun): Promise<ShellOutcome> {
  const { command, cwd, outputFile, maxOutputBytes } = run;
  // The command writes to the file itself: a background process could keep a pipe open.
  // execa takes any descriptor; its types name the small ones.
  const { O_APPEND, O_CREAT, O_TRUNC, O_WRONLY } = constants;
  const output = openSync(outputFile, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600) as 3;
  try {
    if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
      return { kind: 'not-started', why: `there is no folder ${cwd}`, durationMs: 0 };
    }
    const { execa } = await import('execa');
    const running = execa(command, {
      cwd,
      // The program gets no variables of this process, and its end is a value.
      env: definedOnly(run.env),
      extendEnv: false,
      reject: false,
      shell: true,
      stdio: ['ignore', output, output],
      timeout: run.timeoutMs,
      cancelSignal: run.signal,
      forceKillAfterDelay: GRACE_MS,
      killDescendants: true,
    });
    let isTooLong = false;
    const sizes = setInterval(() => {
      // The file may have been removed while the command runs.
      const { size = 0 } = statSync(outputFile, { throwIfNoEntry: false }) ?? {};
      if (size <= maxOutputBytes) return;
      // The command may go on writing until it has ended.
      const half = Math.floor(maxOutputBytes / 2);
      cutLog(outputFile, { most: maxOutputBytes, head: half, tail: half });
      if (!isTooLong) running.kill();
      isTooLong = true;
    }, OUTPUT_CHECK_MS);
    const { isCanceled, timedOut, exitCode, signal, cause, ...ended } = await running;
    clearInterval(sizes);
    // The shell has ended; background processes do not belong to the test's result.
    running.kill('SIGKILL');

    const durationMs = Math.round(ended.durationMs);
    const killed = { kind: 'killed', aborted: isCanceled, durationMs } as const;
    if (isCanceled) return { ...killed, why: 'interrupted' };
    if (timedOut) return { kind: 'timed-out', durationMs };
    if (isTooLong) return { ...killed, why: `wrote more than ${maxOutputBytes} bytes` };
    if (signal !== undefined) return { ...killed, why: signal };
    if (exitCode !== undefined) return { kind: 'exited', exitCode, durationMs };
    return { kind: 'not-started', why: codeOf(cause) || ended.shortMessage || '', durationMs };
  } finally {
    closeSync(output);
  }
}

/** The failure of a command, as a clause; `undefined` if it passed. */
export function failureOf(outcome: ShellOutcome, timeoutMs: number): string | undefined {
  switch (outcome.kind) {
    case 'exited':
      return outcome.exitCode === 0 ? undefined : `ended with exit code ${outcome.exitCode}`;
    case 'timed-out':
      return `was not done after ${Math.round(timeoutMs / 1000)} s`;
    case 'killed':
      return `was ended: ${outcome.why}`;
    case 'not-started':
      return `could not start: ${outcome.why}`;
  }
}
