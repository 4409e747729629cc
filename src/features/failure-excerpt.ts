/** Cuts the first failure and the totals out of the output of a failed smoke test. */
import { stripVTControlCharacters } from 'node:util';
import { textAtEnd } from './test-count.ts';
import { TEST_RUNNERS, type TestRunner } from './test-runners.ts';

type Report = Required<Pick<TestRunner, 'failure' | 'totals'>>;

const REPORTS: readonly Report[] = [
  ...TEST_RUNNERS.flatMap(({ failure, counts, totals = counts[0] }) =>
    failure === undefined ? [] : { failure, totals },
  ),
  // Gradle
  { failure: [/^\S.* > .* FAILED$/, /^\S/], totals: /^\d+ tests? completed, / },
  // TAP
  {
    failure: [/^ *not ok \d/, /^ *(?:(?:not )?ok \d|# |\d+\.\.\d+)/],
    totals: /^# (?:tests|pass|fail) |^\d+\.\.\d+$/,
  },
  // JUnit
  {
    failure: [/<(?:failure|error)\b/, /<\/(?:failure|error|testcase)>|<testcase\b/],
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
  for (const { failure, totals } of REPORTS) {
    const last = lines.filter((line) => totals.test(line)).slice(-MAX_TOTALS);
    const first = firstFailure(lines, failure);
    if (last.length > 0 && first !== undefined) return shown(first, last);
  }
  const rest = withoutEdges(lines);
  if (rest.length <= MAX_LINES) return shown(rest, []);
  const first = rest.findIndex((line) => ERROR.test(line));
  const last = rest.slice(-LAST_LINES);
  if (first === -1 || first >= rest.length - MAX_LINES) return shown(rest.slice(-MAX_LINES), []);
  return shown(rest.slice(first, -LAST_LINES), last);
}

function firstFailure(
  lines: readonly string[],
  [first, end, heading]: Report['failure'],
): string[] | undefined {
  const after = heading === undefined ? 0 : lines.findIndex((line) => heading.test(line));
  const from = lines.findIndex((line, at) => at >= after && first.test(line));
  if (after === -1 || from === -1) return undefined;
  const to = lines.findIndex((line, at) => at > from && end.test(line));
  return lines.slice(from, to === -1 ? undefined : to);
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

/** @param file the kept output of a smoke test. Empty if it cannot be read. */
export const failureExcerptOf = (file: string | null): string[] => failureExcerpt(textAtEnd(file));
