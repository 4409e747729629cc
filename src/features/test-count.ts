/** The number of tests that a run has executed, from the summary of its runner; skipped ones do not count. */
import { posix } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { attempt } from '../base/errors.ts';
import { endOfFile } from '../base/files/plain-file.ts';
import { type EvidenceRun, hasPassed } from '../store/evidence.ts';
import { programsOf } from './programs.ts';
import { runnerOf, TEST_RUNNERS } from './test-runners.ts';

/** `undefined` if no line is the summary of a known runner. */
export function testCount(output: string): number | undefined {
  const counts = linesOf(output).flatMap((line) => {
    if (saysNothingRan(line)) return [0];
    const [, executed, skipped] = TEST_RUNNERS.find((it) => it.counts[0].test(line))?.counts ?? [];
    return executed === undefined ? [] : [sum(line, executed) - sum(line, skipped)];
  });
  const total = counts.reduce((sum, it) => sum + it, 0);
  return counts.length === 0 ? undefined : Math.max(0, total);
}

export const linesOf = (output: string) => stripVTControlCharacters(output).split(/\r?\n/);

function sum(line: string, pattern: RegExp | undefined): number {
  const matches = pattern === undefined ? [] : [...line.matchAll(pattern)];
  return matches.reduce((total, [, one, other]) => total + Number(one ?? other ?? 1), 0);
}

const saysNothingRan = (line: string) => TEST_RUNNERS.some(({ nothing }) => nothing?.test(line));

/** The bytes that are read at the end of a longer output, because runners print failures and totals last. */
const MAX_BYTES = 4 * 1024 * 1024;

export const endOfOutput = ({ outputFile }: EvidenceRun): string => textAtEnd(outputFile);

/** The end of a file; empty if it cannot be read. */
export function textAtEnd(file: string | null): string {
  const end = file === null ? undefined : attempt(() => endOfFile(file, MAX_BYTES));
  return end?.toString('utf8') ?? '';
}

/** Whether the runner reports that no test was executed. A failed run has failed, unless there was nothing to run. */
export function ranNoTest(run: EvidenceRun, root: string): boolean {
  const output = endOfOutput(run);
  if (executedTests(run, output, root) !== 0) return false;
  return hasPassed(run) || linesOf(output).some(saysNothingRan);
}

type Started = Pick<EvidenceRun, 'command' | 'cwd'>;

/** `undefined` if no runner reports it, or if another program of the command may have executed some. */
export function executedTests(run: Started, output: string, root: string): number | undefined {
  const count = testCount(output);
  return count === 0 && !isCounted(run, root) ? undefined : count;
}

/** True if each program that a command starts is known to report how many tests it has executed. */
function isCounted({ command, cwd }: Started, root: string): boolean {
  const programs = programsOf(command, root, posix.join(root, cwd)).map(([name = '', ...words]) => [
    posix.basename(name),
    ...words,
  ]);
  const texts = programs.map((it) => it.join(' '));
  const isStarter = (it: string) =>
    PROVES_NOTHING.test(it) || texts.some((other) => it !== other && it.endsWith(other));
  const others = programs.filter((_, at) => !isStarter(texts[at] ?? ''));
  return others.length < 2 || others.every((it) => runnerOf(it) !== undefined);
}

const PROVES_NOTHING = /^(?:npm|pnpm|yarn|make|cd|echo|true|exit)(?: |$)/;
