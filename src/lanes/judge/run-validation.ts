/** Runs a lane's validation. The result is that of the tests (`pass`, `fail`), or why there is none. */
import { readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { relative } from 'node:path';
import { cutLog } from '../../base/files/cut-log.ts';
import { linkOnTheWay } from '../../base/files/inside.ts';
import { type Git, GitError } from '../../base/git/git.ts';
import { projectPlace } from '../../base/git/project.ts';
import { readStatus, type Status } from '../../base/git/repository-snapshot.ts';
import { changedBetween } from '../../base/git/tree-objects.ts';
import { runShell, type ShellOutcome, type ShellRun } from '../../base/process/program.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { sha256 } from '../../base/text/sha256.ts';
import { duration } from '../../base/text/time.ts';
import { hindranceIn, missingProgram } from '../../features/missing-program.ts';
import { keepRedacted } from '../../features/output.ts';
import { executedTests, textAtEnd } from '../../features/test-count.ts';
import type { ValidationRunRecord } from '../../store/lane-validations.ts';
import type { Reports } from './reports/ask.ts';
import { testsInLog } from './reports/in-log.ts';
import { comparableNames } from './reports/names.ts';
import { readReports, reportsIn, reportsWritten, type TestResult } from './reports/read.ts';

export interface ValidationWish extends Omit<ShellRun, 'outputFile' | 'maxOutputBytes'> {
  /** Created anew, readable by its owner only; its folder has to exist. */
  readonly logFile: string;
  /** The middle of a longer log is left out, and the result is an error. */
  readonly maxLogBytes?: number;
  readonly reports: Omit<Reports, 'env'>;
  readonly git: Git;
  /** The state of the tree, if it is known. */
  readonly before?: Pick<Status, 'head' | 'changes'> | undefined;
}

export interface ValidationRun extends Omit<ValidationRunRecord, 'executed' | 'passed'> {
  /** The run was killed, ran out of time or space, or its runner crashed: nothing is proven, it may pass later. */
  readonly broken: boolean;
  /** Why the tests have no result, as a clause; `null` for `pass` and `fail`. */
  readonly detail: string | null;
  readonly failures: readonly string[];
  readonly tail: string;
  /** The runners' reports; `undefined`: only the exit code counts. */
  readonly tests: TestsRun | undefined;
  /** Paths that the command changed and git does not ignore. */
  readonly dirtied: readonly string[];
}

export interface TestsRun {
  readonly runners: readonly string[];
  /** Whether a test is known to have begun. */
  readonly began: boolean;
  /** The number that ran, without skipped ones. */
  readonly ran: number;
  /** Their names, if the runner reports them. */
  readonly executed: readonly string[];
  readonly skipped: readonly string[];
  readonly passed: number;
  /** The message of each failed test, in one line. */
  readonly why: ReadonlyMap<string, string>;
}

const MB = 1024 * 1024;
const MAX_LOG_BYTES = 24 * MB;
/** The part of a log that is kept after its results were read: a lane has several. */
const KEPT = { most: 6 * MB, head: 2 * MB, tail: 3 * MB };

/** @throws an error of the file system if the log cannot be written. */
export async function runValidation(wish: ValidationWish): Promise<ValidationRun> {
  const { cwd, logFile, maxLogBytes = MAX_LOG_BYTES, git } = wish;
  const began = Date.now();
  const { root } = projectPlace(git.directory);
  const before = wish.before ?? (await readStatus(git));
  const link = linkOnTheWay(root, cwd);
  if (link !== undefined) {
    // A command that runs through a link would prove something other than the commit.
    return notRun(`${relative(root, link)} is no plain folder`, logFile);
  }
  const outcome = await runShell({ ...wish, outputFile: logFile, maxOutputBytes: maxLogBytes });
  // A fast program can exceed the limit before it is stopped.
  const half = Math.floor(maxLogBytes / 2);
  const tooLong = cutLog(logFile, { most: maxLogBytes, head: half, tail: half }) !== undefined;
  const { digest, tail } = keepRedacted(logFile);
  const exitCode = outcome.kind === 'exited' ? outcome.exitCode : null;
  const log = await testsInLog(logFile, [cwd, root], wish.reports.namesGo);
  const [read, dirtied] = await Promise.all([
    readTests(wish, root, began, log.results),
    orWhy(() => changedSince(git, before)),
  ]);
  const { tests = exitCode === 0 ? countedTests(wish, root) : undefined, failures: reported } =
    read;
  const failures = reported.length > 0 ? reported : log.failures;
  const verdict = verdictOf(outcome, wish.timeoutMs, {
    failed: failures.length,
    tooLong,
    hindrance: exitCode === null ? undefined : whyNotRun(exitCode, tail, failures, tests),
    hasCrashed: failures.length === 0 && tests?.began === true && tests.ran === 0,
  });
  const isCut = cutLog(logFile, KEPT) !== undefined;
  const logSha256 = isCut ? sha256(readFileSync(logFile)) : digest;
  return {
    ...verdict,
    exitCode,
    durationMs: outcome.durationMs,
    logPath: logFile,
    logSha256,
    tail,
    failures,
    tests,
    ...(typeof dirtied === 'string'
      ? { dirtied: [], result: 'error', detail: dirtied }
      : { dirtied }),
  };
}

/** @param logFile gets the reason as well. */
export function notRun(why: string, logFile: string): ValidationRun {
  writeFileSync(logFile, `not run: ${why}\n`, { mode: 0o600 });
  const { digest: logSha256, tail } = keepRedacted(logFile);
  return { logPath: logFile, logSha256, tail, ...NOTHING, ...noResult(why) };
}

export const NOTHING: Omit<ValidationRun, 'logPath' | 'logSha256' | 'tail' | 'detail'> = {
  exitCode: null,
  durationMs: 0,
  failures: [],
  tests: undefined,
  dirtied: [],
  broken: false,
  result: 'error',
};

/** The number of tests in the output for people, which does not show their names or causes. */
function countedTests({ command, cwd, logFile }: ValidationWish, root: string) {
  const started = { command, cwd: relative(root, cwd) };
  const ran = executedTests(started, textAtEnd(logFile), root);
  if (ran === undefined) return undefined;
  const none = { executed: [], skipped: [], why: new Map<string, string>() };
  return { runners: [UNKNOWN_RUNNER], began: true, ran, passed: ran, ...none };
}

const UNKNOWN_RUNNER = 'the test runner';

/** Reads the requested reports, else those that a tool writes on its own, and reports in the log. */
async function readTests(
  { reports, cwd, git }: ValidationWish,
  root: string,
  began: number,
  inLog: readonly TestResult[] | undefined,
) {
  const asked = readReports(reportsIn(reports.folder));
  const written = asked ? [] : await orWhy(() => reportsWritten(git, began));
  const own = asked ?? (typeof written === 'string' ? undefined : readReports(written));
  const report = inLog ? [...(own ?? []), ...inLog] : own;
  if (reports.runners.length === 0 && report === undefined) {
    return { tests: undefined, failures: [] };
  }
  const namesOf = (...wanted: readonly string[]): string[] => {
    const results = report?.filter(({ status }) => wanted.includes(status)) ?? [];
    return comparableNames(
      results.map(({ name }) => redact(name)),
      [cwd, root],
    );
  };
  const failed = report?.filter(({ status }) => status === 'failed') ?? [];
  const says = failed.map(({ why = '' }) => redact(why));
  const executed = namesOf('passed', 'failed');
  const tests: TestsRun = {
    runners: reports.runners.length === 0 ? [UNKNOWN_RUNNER] : reports.runners,
    began: report !== undefined,
    ran: executed.length,
    executed,
    skipped: namesOf('skipped'),
    passed: namesOf('passed').length,
    why: new Map(namesOf('failed').map((name, at) => [name, says[at] ?? ''])),
  };
  return { tests, failures: namesOf('failed', 'not-loaded') };
}

/** A worktree that git cannot read is an error, not a failure of the tests. */
async function orWhy<T>(read: () => Promise<T>): Promise<T | string> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return `the worktree cannot be read: ${error.message}`;
  }
}

type Verdict = Pick<ValidationRun, 'result' | 'detail' | 'broken'>;

const noResult = (detail: string): Verdict => ({ result: 'error', detail, broken: false });

interface LogFacts {
  readonly failed: number;
  readonly tooLong: boolean;
  /** What the tests need from this machine and lack, as a clause. */
  readonly hindrance: string | undefined;
  /** A runner began and ended before its first test. */
  readonly hasCrashed: boolean;
}

function verdictOf(outcome: ShellOutcome, timeoutMs: number, log: LogFacts): Verdict {
  switch (outcome.kind) {
    case 'timed-out': {
      const detail = `took longer than ${duration(timeoutMs)}`;
      return { result: 'timeout', detail, broken: true };
    }
    case 'not-started':
      return noResult(`could not start: ${outcome.why}`);
    case 'killed': {
      const { why, aborted } = outcome;
      const detail = why.startsWith('SIG') ? `was killed by ${why}` : why;
      return { ...noResult(detail), broken: !aborted };
    }
    case 'exited':
      if (log.tooLong) return noResult('wrote more than is kept of a log');
      if (log.hindrance !== undefined) return noResult(log.hindrance);
      return exited(outcome.exitCode, log);
  }
}

/** Why the tests could not run; `undefined` if one failed for another reason, or a file of the project is missing. */
function whyNotRun(
  exitCode: number,
  outputTail: string,
  failures: readonly string[],
  tests: TestsRun | undefined,
): string | undefined {
  if (exitCode === 0) return undefined;
  const texts =
    failures.length === 0 ? [outputTail] : failures.map((it) => tests?.why.get(it) ?? '');
  const [hindrance, ...others] = texts.map(hindranceIn);
  if (hindrance !== undefined && !others.includes(undefined)) return hindrance;
  const missing = missingProgram({ outcome: 'exited', exitCode, outputTail });
  if (failures.length > 0 || missing === undefined || isOwnFile(missing)) return undefined;
  return `\`${missing}\` was not found`;
}

/** True for a file of the project: `./check.sh` is missing work; a program of a package is not installed. */
const isOwnFile = (program: string): boolean =>
  /^[^/].*\//.test(program) && !/(?:^|\/)(?:node_modules|\.?venv|vendor)\//.test(program);

/** The verdict on a shell's exit code: 126 for a command that cannot run, 128 plus a signal's number. */
function exited(exitCode: number, { failed, hasCrashed }: LogFacts): Verdict {
  if (exitCode === 0) return { result: 'pass', detail: null, broken: false };
  if (exitCode === 126) return noResult('could not be executed (exit code 126)');
  const signals = Object.entries(constants.signals);
  const signal = signals.find(([, number]) => number === exitCode - 128)?.[0];
  // Some tools exit with the number of failures.
  if (signal === undefined || exitCode === failed) {
    return { result: 'fail', detail: null, broken: hasCrashed };
  }
  return { ...noResult(`was killed by ${signal} (exit code ${exitCode})`), broken: true };
}

/** Paths that differ from the commit, and those in newer commits. */
async function changedSince(git: Git, { head, changes }: Pick<Status, 'head' | 'changes'>) {
  const after = await readStatus(git);
  const known = new Set(changes.map(({ path }) => path));
  const differing = after.changes.map(({ path }) => path).filter((path) => !known.has(path));
  const isMoved = head && after.head && head !== after.head;
  const committed = isMoved ? await changedBetween(git, head, after.head) : [];
  return [...new Set([...differing, ...committed])].toSorted();
}
