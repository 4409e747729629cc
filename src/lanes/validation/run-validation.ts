/**
 * Runs the validation of a lane. The result is either that of the tests (`pass`, `fail`), or says why
 * there is none (`error`, `timeout`).
 */

import { lstatSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, relative } from 'node:path';
import { missingProgram } from '../../features/missing-program.ts';
import { keepRedacted } from '../../features/output.ts';
import { cutLog } from '../../files/cut-log.ts';
import { linkOnTheWay } from '../../files/inside.ts';
import { type Git, GitError } from '../../git/git.ts';
import { projectPlace } from '../../git/project.ts';
import { readStatus } from '../../git/repository-snapshot.ts';
import { changedBetween } from '../../git/tree-objects.ts';
import { runShell, type ShellOutcome } from '../../process/run-shell.ts';
import type { ValidationRunRecord } from '../../store/lane-validations.ts';
import { redact } from '../../text/redact/redact.ts';
import { duration } from '../../text/time.ts';
import { failuresInLog } from './reports/in-log.ts';
import { comparableNames } from './reports/names.ts';
import { readReports, reportsIn, reportsWritten } from './reports/read.ts';
import type { Reports } from './reports/reports.ts';

export interface ValidationWish {
  readonly command: string;
  readonly cwd: string;
  /** The complete environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Created anew, readable by its owner only; its folder has to exist. */
  readonly logFile: string;
  /** The middle of a longer log is left out, and the result is an error. */
  readonly maxLogBytes?: number;
  readonly signal: AbortSignal;
  /** What test runners were asked for. */
  readonly reports?: Reports | undefined;
  /** In the command's worktree, to see which files the command changed. */
  readonly git: Git;
}

export type ValidationResult = ValidationRunRecord['result'];

export interface ValidationRun extends ValidationRunRecord {
  /** It was killed, ran out of time or room, or its runner crashed: it says nothing, and may go well next time. */
  readonly broken: boolean;
  /** Why there is no result of the tests, as a clause; `null` for `pass` and `fail`. */
  readonly detail: string | null;
  /** Names of the failed tests, as the runners report them. */
  readonly failures: readonly string[];
  readonly tail: string;
  /** Of runners that report their results as data; `undefined`: the exit code alone counts. */
  readonly tests: TestCounts | undefined;
  /** Paths that the command changed and git does not ignore. */
  readonly dirtied: readonly string[];
}

export interface TestCounts {
  readonly runners: readonly string[];
  /** Whether one of them is known to have begun. */
  readonly began: boolean;
  readonly executed: number;
  readonly passed: number;
}

const MAX_LOG_BYTES = 64 * 1024 * 1024;

/** @throws an error of the file system if the log cannot be written. */
export async function runValidation(wish: ValidationWish): Promise<ValidationRun> {
  const { command, cwd, env, timeoutMs, logFile, maxLogBytes = MAX_LOG_BYTES, signal, git } = wish;
  const began = Date.now();
  const ran = {
    logPath: logFile,
    failures: [],
    dirtied: [],
    tests: undefined,
    broken: false,
  };
  const state = await orWhy(() => readTreeState(git));
  const before = typeof state === 'string' ? state : (notThrough(state.root, cwd) ?? state);
  if (typeof before === 'string') {
    writeFileSync(logFile, `not run: ${before}\n`, { mode: 0o600 });
    const { digest: logSha256, tail } = keepRedacted(logFile);
    return { ...ran, ...withoutResult(before), exitCode: null, durationMs: 0, logSha256, tail };
  }
  const log = { outputFile: logFile, maxOutputBytes: maxLogBytes };
  const outcome = await runShell({ command, cwd, env, timeoutMs, ...log, signal });
  // A fast program can exceed the limit before it is stopped.
  const half = Math.floor(maxLogBytes / 2);
  const tooLong = cutLog(logFile, { most: maxLogBytes, head: half, tail: half }) !== undefined;
  const { digest: logSha256, tail } = keepRedacted(logFile);
  const { counts: tests, failures: reported } = await readTests(wish, before.root, began);
  const roots = [cwd, before.root];
  const failures = reported.length > 0 ? reported : await failuresInLog(logFile, roots);
  const count = failures.length;
  const missing = count > 0 ? undefined : missingIn(outcome, tail);
  const verdict = verdictOf(outcome, { timeoutMs, failed: count, tooLong, missing });
  const dirtied = await orWhy(() => changedSince(git, before));
  return {
    ...{ ...ran, failures, tests, logSha256, tail },
    broken: isBroken(outcome, verdict) || hasCrashed(verdict, tests, count),
    ...(typeof dirtied === 'string' ? withoutResult(dirtied) : { ...verdict, dirtied }),
    exitCode: outcome.kind === 'exited' ? outcome.exitCode : null,
    durationMs: outcome.durationMs,
  };
}

/** Through a link it would prove something else than the commit. */
function notThrough(root: string, cwd: string): string | undefined {
  const link = linkOnTheWay(root, cwd);
  return link && `${relative(root, link)} is no plain folder`;
}

function isBroken(outcome: ShellOutcome, { result }: Verdict): boolean {
  if (outcome.kind === 'killed') return !outcome.aborted;
  if (outcome.kind === 'timed-out') return true;
  return outcome.kind === 'exited' && result === 'error' && outcome.exitCode > BY_SIGNAL;
}

/** A shell's exit code of a program that a signal has ended is larger. */
const BY_SIGNAL = 128;

/** A runner that began and ended before its first test. */
function hasCrashed({ result }: Verdict, tests: TestCounts | undefined, failed: number): boolean {
  return result === 'fail' && failed === 0 && tests?.began === true && tests.executed === 0;
}

/** The reports that were asked for, else those that a tool writes by itself. */
async function readTests({ reports, cwd, git }: ValidationWish, root: string, began: number) {
  const asked = reports && readReports(reportsIn(reports.folder));
  const written = asked ? [] : await orWhy(() => reportsWritten(git, began));
  const report = asked ?? (typeof written === 'string' ? undefined : readReports(written));
  const known = reports?.runners ?? [];
  if (known.length === 0 && report === undefined) return { counts: undefined, failures: [] };
  const { executed = 0, passed = 0, failures = [] } = report ?? {};
  const runners = known.length === 0 ? ['the test runner'] : known;
  return {
    counts: { runners, began: report !== undefined, executed, passed },
    failures: comparableNames(failures.map(redact), [cwd, root]),
  };
}

function withoutResult(detail: string): Verdict {
  return { result: 'error', detail };
}

/** A worktree that git cannot read means an error, not a failure of the tests. */
async function orWhy<T>(read: () => Promise<T>): Promise<T | string> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return `the worktree cannot be read: ${error.message}`;
  }
}

type Verdict = Pick<ValidationRun, 'result' | 'detail'>;

function missingIn(outcome: ShellOutcome, outputTail: string): string | undefined {
  const exitCode = outcome.kind === 'exited' ? outcome.exitCode : null;
  return missingProgram({ outcome: 'exited', exitCode, outputTail });
}

interface Ran {
  readonly timeoutMs: number;
  /** The number of failures that are reported. */
  readonly failed: number;
  readonly tooLong: boolean;
  /** A program that the command needs and that is not installed. */
  readonly missing: string | undefined;
}

function verdictOf(outcome: ShellOutcome, { timeoutMs, failed, tooLong, missing }: Ran): Verdict {
  switch (outcome.kind) {
    case 'timed-out':
      return { result: 'timeout', detail: `took longer than ${duration(timeoutMs)}` };
    case 'not-started':
      return { result: 'error', detail: `could not start: ${outcome.why}` };
    case 'killed':
      return {
        result: 'error',
        detail: outcome.why.startsWith('SIG') ? `was killed by ${outcome.why}` : outcome.why,
      };
    case 'exited':
      if (tooLong) return { result: 'error', detail: 'wrote more than is kept of a log' };
      if (missing !== undefined) {
        return { result: 'error', detail: `\`${missing}\` was not found` };
      }
      return exited(outcome.exitCode, failed);
  }
}

/** Exit codes of a shell: 126 for a command that cannot run, 128 plus a signal's number. */
function exited(exitCode: number, failed: number): Verdict {
  if (exitCode === 0) return { result: 'pass', detail: null };
  if (exitCode === 126) return { result: 'error', detail: 'could not be executed (exit code 126)' };
  const signals = Object.entries(constants.signals);
  const signal = signals.find(([, number]) => number === exitCode - 128)?.[0];
  // Some tools exit with the number of failures.
  if (signal === undefined || exitCode === failed) return { result: 'fail', detail: null };
  return { result: 'error', detail: `was killed by ${signal} (exit code ${exitCode})` };
}

interface TreeState {
  readonly root: string;
  readonly head: string | undefined;
  /** For each path that differs from the commit, a stamp of the file. */
  readonly changes: ReadonlyMap<string, string>;
}

async function readTreeState(git: Git): Promise<TreeState> {
  const status = await readStatus(git);
  const { root } = projectPlace(git.directory);
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
