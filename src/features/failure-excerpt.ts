/** Cuts the first failure and the totals out of the output of a failed smoke test. */
import { stripVTControlCharacters } from 'node:util';
import { attempt } from '../base/errors.ts';
import { endOfFile } from '../base/files/plain-file.ts';

/** How a test runner reports failures. All patterns are of single lines without colour codes. */
interface Report {
  /** The failures follow the first such line. Without it they may be anywhere. */
  readonly heading?: RegExp;
  readonly firstLine: RegExp;
  /** The first line that does not belong to a failure any more. */
  readonly end: RegExp;
  readonly totals: RegExp;
}

const REPORTS: readonly Report[] = [
  // vitest
  {
    heading: /^⎯+ Failed (?:Suites|Tests) \d+ ⎯+$/,
    firstLine: /^ ?FAIL {2}\S/,
    end: /^⎯|^ ?FAIL {2}\S/,
    totals: /^ *(?:Test Files|Tests) {2}\d/,
  },
  // jest
  {
    firstLine: /^ {2}● (?!Console$)\S/,
    end: /^ {2}● |^(?:PASS|FAIL) |^Test Suites: |^Summary of all failing tests$/,
    totals: /^(?:Test Suites|Tests): /,
  },
  // mocha
  {
    heading: /^ +\d+ failing$/,
    firstLine: /^ {2}1\) \S/,
    end: /^ {2}\d+\) \S/,
    totals: /^ +\d+ (?:passing|failing|pending)\b/,
  },
  // node:test
  {
    heading: /^✖ failing tests:$/,
    firstLine: /^test at /,
    end: /^test at /,
    totals: /^ℹ (?:tests|pass|fail) /,
  },
  // pytest
  {
    heading: /^=+ (?:FAILURES|ERRORS) =+$/,
    firstLine: /^_{3,} .* _{3,}$/,
    end: /^_{3,} .* _{3,}$|^-+ Captured .* -+$|^=+ .* =+$/,
    totals: /^=* ?\d+ (?:failed|passed|errors?|skipped)\b.* in [\d.]+s/,
  },
  // unittest
  {
    firstLine: /^(?:FAIL|ERROR): \w+ \(/,
    end: /^={20,}$/,
    totals: /^Ran \d+ tests? in |^FAILED \(/,
  },
  // cargo test
  {
    firstLine: /^---- .+ stdout ----$/,
    end: /^---- .+ stdout ----$|^test result: /,
    totals: /^test result: FAILED/,
  },
  // rspec
  {
    heading: /^Failures:$/,
    firstLine: /^ {2}1\) \S/,
    end: /^ {2}\d+\) \S|^Finished in /,
    totals: /^\d+ examples?, /,
  },
  // minitest
  {
    firstLine: /^ {2}1\) (?:Failure|Error):$/,
    end: /^ {2}\d+\) /,
    totals: /^\d+ runs, /,
  },
  // phpunit
  {
    heading: /^There (?:was|were) \d+ (?:failure|error)s?:$/,
    firstLine: /^1\) \S/,
    end: /^\d+\) \S|^--$|^(?:FAILURES|ERRORS)!$/,
    totals: /^Tests: \d+, /,
  },
  // Maven
  {
    firstLine: /<<< (?:FAILURE|ERROR)!$/,
    end: /^\[(?:INFO|ERROR)\]/,
    totals: /^\[ERROR\] +Tests run: \d+, .*\d$/,
  },
  // Gradle
  {
    firstLine: /^\S.* > .* FAILED$/,
    end: /^\S/,
    totals: /^\d+ tests? completed, /,
  },
  // go test
  {
    firstLine: /^ *--- FAIL: |^ +\S+_test\.go:\d+: |^panic: |^# \S+ \[\S+\.test\]$/,
    end: /^(?:=== RUN .*|--- PASS: .*|FAIL|ok {2}.*)$/,
    totals: /^FAIL\t/,
  },
  // TAP
  {
    firstLine: /^ *not ok \d/,
    end: /^ *(?:(?:not )?ok \d|# |\d+\.\.\d+)/,
    totals: /^# (?:tests|pass|fail) |^\d+\.\.\d+$/,
  },
  // JUnit
  {
    firstLine: /<(?:failure|error)\b/,
    end: /<\/(?:failure|error|testcase)>|<testcase\b/,
    totals: /<testsuites?\b.*\bfailures="[1-9]/,
  },
];

const MAX_LINES = 25;
const MAX_CHARS = 200;
const MAX_TOTALS = 4;
const LAST_LINES = 8;
const CUT = '…';

/** The first line that reports an error, where the runner is not known. */
const ERROR =
  /\b(?:error|exception|panic|fatal|failed|failure|traceback)\b|\w(?:Error|Exception)\b|✖|✗|✘/i;
/** Frames of the runner and of the language, which say nothing of the project. */
const FOREIGN_FRAME =
  /^\s+(?:at )?(?:async )?[\w.<>$# ]*\(?(?:file:\/\/)?(?:node:|\S*node_modules\/)\S*:\d+\)?/;

/**
 * At most 25 lines without colour codes: the first failure with its assertion, then the totals of the
 * runner. Of an unknown runner: what follows the first error, and the last lines.
 */
export function failureExcerpt(output: string): string[] {
  const lines = stripVTControlCharacters(output)
    .split('\n')
    // A carriage return begins the line again.
    .map((line) => line.trimEnd())
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
    .filter((line) => !FOREIGN_FRAME.test(line));
  for (const report of REPORTS) {
    const totals = lines.filter((line) => report.totals.test(line)).slice(-MAX_TOTALS);
    const from = firstFailure(lines, report);
    if (totals.length > 0 && from !== -1) return shown(failureFrom(lines, from, report), totals);
  }
  const rest = withoutEdges(lines);
  if (rest.length <= MAX_LINES) return shown(rest, []);
  const first = rest.findIndex((line) => ERROR.test(line));
  const last = rest.slice(-LAST_LINES);
  if (first === -1 || first >= rest.length - MAX_LINES) return shown(rest.slice(-MAX_LINES), []);
  return shown(rest.slice(first, -LAST_LINES), last);
}

function firstFailure(lines: readonly string[], { heading, firstLine }: Report): number {
  const after = heading === undefined ? 0 : lines.findIndex((line) => heading.test(line));
  if (after === -1) return -1;
  return lines.findIndex((line, n) => n >= after && firstLine.test(line));
}

function failureFrom(lines: readonly string[], from: number, { end }: Report): string[] {
  const length = lines.slice(from + 1).findIndex((line) => end.test(line));
  return lines.slice(from, length === -1 ? undefined : from + 1 + length);
}

function shown(failure: readonly string[], totals: readonly string[]): string[] {
  const room = MAX_LINES - totals.length;
  const block = withoutEdges(failure);
  const head = block.length > room ? [...block.slice(0, room - 1), CUT] : block;
  return [...head, ...totals].map((line) =>
    line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS - 1)}${CUT}` : line,
  );
}

function withoutEdges(lines: readonly string[]): string[] {
  const isText = (line: string): boolean => line !== '';
  const first = lines.findIndex(isText);
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex(isText) + 1);
}

/** Runners print failures and totals last: of longer output only this much is read. */
const MAX_BYTES = 4 * 1024 * 1024;

/** @param file the kept output of a smoke test. Empty if it cannot be read. */
export function failureExcerptOf(file: string | null): string[] {
  const end = file === null ? undefined : attempt(() => endOfFile(file, MAX_BYTES));
  return failureExcerpt(end?.toString('utf8') ?? '');
}
