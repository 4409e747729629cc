/**
 * Runs the validation of a lane. The result is either that of the tests (`pass`, `fail`), or says why
 * there is none (`error`, `timeout`).
 */

import { appendFileSync, lstatSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { keepRedacted } from '../../features/output.ts';
import { type Git, GitError } from '../../git/git.ts';
import { changedBetween } from '../../git/paths.ts';
import { readStatus } from '../../git/status.ts';
import { runShell, type ShellOutcome } from '../../process/run-shell.ts';
import type { ValidationRunRecord } from '../../store/lane-validations.ts';
import { duration } from '../../text/time.ts';
import { failuresInLog, type LogFailures } from './failures.ts';

export interface ValidationWish {
  readonly command: string;
  readonly cwd: string;
  /** The complete environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Created anew, readable by its owner only; its folder has to exist. */
  readonly logFile: string;
  /** A longer log is cut, and the result is an error. */
  readonly maxLogBytes?: number;
  readonly signal: AbortSignal;
  /** In the command's worktree, to see which files the command changed. */
  readonly git: Git;
}

export type ValidationResult = ValidationRunRecord['result'];

export interface ValidationRun extends ValidationRunRecord {
  /** Why there is no result of the tests, as a clause; `null` for `pass` and `fail`. */
  readonly detail: string | null;
  /** Names of the failed tests, read from the stored log, so that they can be checked. */
  readonly failures: readonly string[];
  /** Failures that the log counts but does not name. */
  readonly unnamed: number;
  readonly tail: string;
  /** Paths that the command changed and git does not ignore. */
  readonly dirtied: readonly string[];
}

const MAX_LOG_BYTES = 64 * 1024 * 1024;

/** @throws an error of the file system if the log cannot be written. */
export async function runValidation(wish: ValidationWish): Promise<ValidationRun> {
  const before = await explained(() => readTreeState(wish.git));
  if (before.kind === 'failed') return neverRun(wish, before.why);
  const { cwd, logFile, maxLogBytes = MAX_LOG_BYTES } = wish;
  const outcome = await runShell({
    command: wish.command,
    cwd,
    env: wish.env,
    timeoutMs: wish.timeoutMs,
    outputFile: logFile,
    maxOutputBytes: maxLogBytes,
    signal: wish.signal,
  });
  const tooLong = cutLog(logFile, maxLogBytes);
  const { digest, tail } = keepRedacted(logFile);
  const { failures, unnamed } = (await failuresInLog(logFile, [cwd, before.value.root])) ?? NONE;
  const verdict = verdictOf(outcome, wish, { failed: failures.length + unnamed, tooLong });
  const changed = await explained(() => changedSince(wish.git, before.value));
  return {
    ...(changed.kind === 'failed' ? { result: 'error', detail: changed.why } : verdict),
    exitCode: outcome.kind === 'exited' ? outcome.exitCode : null,
    durationMs: outcome.durationMs,
    logPath: logFile,
    logSha256: digest,
    failures,
    unnamed,
    tail,
    dirtied: changed.kind === 'failed' ? [] : changed.value,
  };
}

const NONE: LogFailures = { failures: [], unnamed: 0 };

function neverRun({ logFile }: ValidationWish, why: string): ValidationRun {
  writeFileSync(logFile, `not run: ${why}\n`, { mode: 0o600 });
  const { digest, tail } = keepRedacted(logFile);
  return {
    result: 'error',
    detail: why,
    exitCode: null,
    durationMs: 0,
    logPath: logFile,
    logSha256: digest,
    ...NONE,
    tail,
    dirtied: [],
  };
}

type Explained<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly why: string };

/** A worktree that git cannot read means an error, not a failure of the tests. */
async function explained<T>(look: () => Promise<T>): Promise<Explained<T>> {
  try {
    return { kind: 'done', value: await look() };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return { kind: 'failed', why: `the worktree cannot be read: ${error.message}` };
  }
}

/** True if the log was too long: a fast program can exceed the limit before it is stopped. */
function cutLog(file: string, maxBytes: number): boolean {
  if (statSync(file).size <= maxBytes) return false;
  truncateSync(file, maxBytes);
  appendFileSync(file, `\n[cut after ${maxBytes} bytes]\n`);
  return true;
}

type Verdict = Pick<ValidationRun, 'result' | 'detail'>;

interface Log {
  /** Number of failures that the log reports. */
  readonly failed: number;
  readonly tooLong: boolean;
}

function verdictOf(outcome: ShellOutcome, wish: ValidationWish, log: Log): Verdict {
  switch (outcome.kind) {
    case 'timed-out':
      return { result: 'timeout', detail: `took longer than ${duration(wish.timeoutMs)}` };
    case 'not-started':
      return { result: 'error', detail: `could not start: ${outcome.why}` };
    case 'killed':
      return { result: 'error', detail: killed(outcome.why) };
    case 'exited':
      if (log.tooLong) return { result: 'error', detail: 'wrote more than is kept of a log' };
      return exited(outcome.exitCode, log.failed);
  }
}

function killed(why: string): string {
  return why.startsWith('SIG') ? `was killed by ${why}` : why;
}

/** Exit codes of a shell: 126 and 127 for a command that cannot run, 128 plus a signal's number. */
function exited(exitCode: number, failed: number): Verdict {
  if (exitCode === 0) return { result: 'pass', detail: null };
  if (exitCode === 126) return { result: 'error', detail: 'could not be executed (exit code 126)' };
  if (exitCode === 127) return { result: 'error', detail: 'was not found (exit code 127)' };
  const signal = signalOf(exitCode);
  // Some tools exit with the number of failures.
  if (signal === undefined || exitCode === failed) return { result: 'fail', detail: null };
  return { result: 'error', detail: `was killed by ${signal} (exit code ${exitCode})` };
}

function signalOf(exitCode: number): string | undefined {
  const signals = Object.entries(constants.signals);
  return signals.find(([, number]) => number === exitCode - 128)?.[0];
}

interface TreeState {
  readonly root: string;
  readonly head: string | undefined;
  /** For each path that differs from the commit, a stamp of the file. */
  readonly changes: ReadonlyMap<string, string>;
}

async function readTreeState(git: Git): Promise<TreeState> {
  const [status, toplevel] = await Promise.all([
    readStatus(git),
    git.text(['rev-parse', '--show-toplevel']),
  ]);
  const root = toplevel.replace(/\n$/, '');
  const changes = status.changes.map(({ path, staged }) => {
    return [path, `${staged} ${stampOf(join(root, path))}`] as const;
  });
  return { root, head: status.head, changes: new Map(changes) };
}

/** Paths that changed since, and those in commits that were made since. */
async function changedSince(git: Git, before: TreeState): Promise<string[]> {
  const after = await readTreeState(git);
  const differing = [...new Set([...before.changes.keys(), ...after.changes.keys()])].filter(
    (path) => before.changes.get(path) !== after.changes.get(path),
  );
  const { head } = before;
  const moved =
    head === undefined || after.head === undefined || head === after.head
      ? []
      : await changedBetween(git, head, after.head);
  return [...new Set([...differing, ...moved])].toSorted();
}

/** Uses the change time (ctime), since a program can set all other times. */
function stampOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? '' : `${stats.ctimeNs} ${stats.size} ${stats.ino}`;
}
