/** Cuts the first failure and the totals out of the output of a failed smoke test. */
import { stripVTControlCharacters } from 'node:util';
import { textAtEnd } from './test-count.ts';
import { TEST_RUNNERS } from './test-runners.ts';

/** The first line of a failure, as test runners print it. */
const FAILURE = new RegExp(
  [
    // Vitest, Jest, Node, TAP, and those that number failures
    ...[
      /^ ?FAIL {2}\S/,
      /^ {2}● (?!Console$)\S/,
      /^test at /,
      /^ *not ok \d(?!.* # (?:TODO|SKIP))/,
      /^(?: {2})?1\) \S/,
    ],
    // Python, Go, Rust, the JVM, JUnit
    ...[/^_{3,} .* _{3,}$/, /^(?:FAIL|ERROR): \w+ \(/],
    ...[/^ *--- FAIL: /, /^ +\S+_test\.go:\d+: /, /^panic: /, /^# \S+ \[\S+\.test\]$/],
    ...[/^---- .+ stdout ----$/, /<<< (?:FAILURE|ERROR)!$/, /^\S.* > .* FAILED$/],
    /^\s*<(?:failure|error)[ >]/,
  ]
    .map(({ source }) => source)
    .join('|'),
);
/** A line that a runner prints before its failures, if something earlier may look like one. */
const HEADING =
  /^Failures:$|^✖ failing tests:$|^⎯+ Failed (?:Suites|Tests) \d+ ⎯+$|^=+ (?:FAILURES|ERRORS) =+$|^ +\d+ failing$/;
const MAX_LINES = 25;
const MAX_TOTALS = 4;
const MAX_CHARS = 200;
const LAST_LINES = 8;
const CUT = '…';

/** The first line that reports an error, if the runner is not known. */
const ERROR =
  /\b(?:error|exception|panic|fatal|failed|failure|traceback)\b|\w(?:Error|Exception)\b|✖|✗|✘/i;
/** Frames of the runner and of the language, which say nothing about the project. */
const FOREIGN_FRAME =
  /^\s+(?:at )?(?:async )?[\w.<>$# ]*\(?(?:file:\/\/)?(?:node:|\S*node_modules\/)\S*:\d+\)?/;

/**
 * At most 25 lines without colour codes: those after the first failure (or the first error, if the
 * runner is not known), and the totals of the runner, or the last lines.
 */
export function failureExcerpt(output: string): string[] {
  const lines = stripVTControlCharacters(output)
    .split('\n')
    // A carriage return starts the line again.
    .map((line) => line.trimEnd())
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
    .filter((line) => !FOREIGN_FRAME.test(line));
  const rest = withoutEdges(lines);
  const from = rest.findIndex((line) => HEADING.test(line)) + 1;
  const failure = rest.findIndex((line, at) => at >= from && FAILURE.test(line));
  const isKnown = failure !== -1;
  if (!isKnown && rest.length <= MAX_LINES) return shown(rest, []);
  const first = isKnown ? failure : rest.findIndex((line) => ERROR.test(line));
  const totals = isKnown ? rest.filter(isTotal).slice(-MAX_TOTALS) : [];
  const last = totals.length > 0 ? totals : rest.slice(-LAST_LINES);
  const isNearEnd = first === -1 || first >= rest.length - MAX_LINES;
  if (isNearEnd) return shown(isKnown ? rest.slice(first) : rest.slice(-MAX_LINES), []);
  return shown(rest.slice(first, -last.length), last);
}

const isTotal = (line: string): boolean =>
  /^FAIL(?:\t|ED \()/.test(line) || TEST_RUNNERS.some(({ counts }) => counts[0].test(line));

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

/** @param file the kept output of a smoke test. Empty if it cannot be read. */
export const failureExcerptOf = (file: string | null): string[] => failureExcerpt(textAtEnd(file));
