/** How many tests a run has executed, by what its runner says at the end; skipped ones were not. */
import { posix } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { attempt } from '../base/errors.ts';
import { endOfFile } from '../base/files/plain-file.ts';
import { type EvidenceRun, hasPassed } from '../store/evidence.ts';
import { programsOf } from './programs.ts';

interface CountingLine {
  readonly runner: string;
  readonly line: RegExp;
  /** Each match is a number of executed tests, or one test where it has no number. */
  readonly executed?: RegExp;
  /** Numbers of tests among them that were skipped. */
  readonly skipped?: RegExp;
  /** The line says that nothing was found to run, however the runner ends. */
  readonly isNothing?: true;
}

const OUTCOMES = /(\d+) (?:x?passed|x?failed|errors?|flaky|passing|failing|pass|fail)\b/g;
const ALL = /(\d+) (?:examples?|runs|tests?)\b/g;
const SKIPPED = /(\d+) (?:pending|skips|skipped|excluded)\b|\b[Ss]kipped[=:] *(\d+)/g;

/** Each runner has its examples in the test of this module. */
export const COUNTING_LINES: readonly CountingLine[] = [
  { runner: 'vitest', line: /^ *Tests {2}(?:\d|no tests)/, executed: OUTCOMES },
  { runner: 'vitest, jest', line: /^No tests? (?:files )?found, exiting/, isNothing: true },
  { runner: 'jest', line: /^Tests: +.*\d+ total$/, executed: OUTCOMES },
  { runner: 'mocha', line: /^ +\d+ (?:passing|failing)\b/, executed: OUTCOMES },
  { runner: 'mocha', line: /^Error: No test files found/, isNothing: true },
  { runner: 'node', line: /^(?:ℹ|#) (?:pass|fail) \d+$/, executed: /(\d+)/g },
  { runner: 'node', line: /^Could not find '/, isNothing: true },
  { runner: 'playwright', line: /^ +\d+ (?:passed|failed|skipped|flaky)\b/, executed: OUTCOMES },
  { runner: 'playwright', line: /^Error: No tests found/, isNothing: true },
  { runner: 'pytest', line: /^=* ?\d+ \w+(?:, \d+ \w+)* in [\d.]+s/, executed: OUTCOMES },
  { runner: 'pytest', line: /^=* ?no tests (?:ran|collected)\b/, isNothing: true },
  { runner: 'unittest', line: /^Ran \d+ tests? in /, executed: ALL },
  { runner: 'unittest', line: /^OK \(skipped=\d+/, skipped: SKIPPED },
  { runner: 'unittest', line: /^NO TESTS RAN/, isNothing: true },
  { runner: 'go', line: /^ok {2}\t/, executed: /^(?!.*\[no tests to run\])ok/g },
  { runner: 'go', line: /\[no test files\]$/ },
  { runner: 'cargo', line: /^test result: /, executed: OUTCOMES },
  { runner: 'nextest', line: /^ +Summary \[/, executed: /(\d+) tests? run/g },
  { runner: 'nextest', line: /^error: no tests to run/, isNothing: true },
  { runner: 'rspec', line: /^\d+ examples?, /, executed: ALL, skipped: SKIPPED },
  { runner: 'minitest', line: /^\d+ runs, /, executed: ALL, skipped: SKIPPED },
  { runner: 'phpunit', line: /^OK \(\d+ tests?, /, executed: ALL },
  { runner: 'phpunit', line: /^Tests: \d+, /, executed: /Tests: (\d+)/g, skipped: SKIPPED },
  { runner: 'phpunit', line: /^No tests executed!/, isNothing: true },
  { runner: 'mix', line: /^\d+ tests?, \d+ failures?/, executed: ALL, skipped: SKIPPED },
  { runner: 'mix', line: /^There are no tests to run/, isNothing: true },
  {
    runner: 'maven',
    line: /^\[\w+\] +Tests run: .*\d$/,
    executed: /Tests run: (\d+)/g,
    skipped: SKIPPED,
  },
  { runner: 'maven', line: /^\[INFO\] No tests to run\.$/ },
  { runner: 'dotnet', line: /\bTotal: +\d+, Duration:/, executed: /(?:Passed|Failed): +(\d+)/g },
  { runner: 'dotnet', line: /^No test (?:is available in|matches the given)/, isNothing: true },
  { runner: 'deno', line: /^(?:ok|FAILED) \| \d+ passed/, executed: OUTCOMES },
  { runner: 'bun', line: /^ \d+ (?:pass|fail)$/, executed: OUTCOMES },
  { runner: 'ctest', line: /tests failed out of \d+$/, executed: /out of (\d+)/g },
  { runner: 'ctest', line: /^No tests were found!!!/, isNothing: true },
  { runner: 'swift', line: /^\s*Executed \d+ tests?, /, executed: ALL },
];

/** `undefined` if no line is that of a known runner. */
export function testCount(output: string): number | undefined {
  const counts = linesOf(output).flatMap((line) => {
    const row = COUNTING_LINES.find((it) => it.line.test(line));
    return row === undefined ? [] : [sum(line, row.executed) - sum(line, row.skipped)];
  });
  const total = counts.reduce((sum, it) => sum + it, 0);
  return counts.length === 0 ? undefined : Math.max(0, total);
}

/** Without colours. */
export const linesOf = (output: string) => stripVTControlCharacters(output).split(/\r?\n/);

function sum(line: string, pattern: RegExp | undefined): number {
  const matches = pattern === undefined ? [] : [...line.matchAll(pattern)];
  return matches.reduce((total, [, one = '1', other = one]) => total + Number(other), 0);
}

/** Runners print their totals last: of longer output only this much is read. */
const MAX_BYTES = 4 * 1024 * 1024;

export function endOfOutput({ outputFile }: EvidenceRun): string {
  const end = outputFile === null ? undefined : attempt(() => endOfFile(outputFile, MAX_BYTES));
  return end?.toString('utf8') ?? '';
}

/** Whether the runner says that no test was executed; a run that failed has failed, unless nothing was found to run. */
export function ranNoTest(run: EvidenceRun, root: string): boolean {
  const output = endOfOutput(run);
  if (testCount(output) !== 0 || !isCounted(run, root)) return false;
  const nothing = COUNTING_LINES.filter((it) => it.isNothing);
  return hasPassed(run) || linesOf(output).some((it) => nothing.some(({ line }) => line.test(it)));
}

/** Where a command starts several programs, each one is known to say how many tests it has executed. */
function isCounted({ command, cwd }: EvidenceRun, root: string): boolean {
  const texts = programsOf(command, root, posix.join(root, cwd)).map(([name = '', ...words]) =>
    [posix.basename(name), ...words].join(' '),
  );
  const isStarter = (it: string) =>
    PROVES_NOTHING.test(it) || texts.some((other) => it !== other && it.endsWith(other));
  const others = texts.filter((it) => !isStarter(it));
  return others.length < 2 || others.every((it) => COUNTED.test(it));
}

const PROVES_NOTHING = /^(?:npm|pnpm|yarn|make|cd|echo|true|exit)(?: |$)/;
const COUNTED =
  /^(?:vitest|jest|mocha|node --test|playwright test|pytest|(?:go|cargo|mix|deno|bun|dotnet|swift) (?:nex)?test|rspec|phpunit|ctest)(?: |$)/;
