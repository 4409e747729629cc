/** Which tests failed, read from the log of any of the known test tools. */
import { comparableNames } from './failure-names.ts';
import type { Findings } from './formats/format.ts';
import { FORMATS } from './formats/known.ts';
import { eachLine, eachLineOf } from './log-lines.ts';

export interface LogFailures {
  /** Names that can be compared with those of another run of the same command. */
  readonly failures: readonly string[];
  /** Failures that the log counts without naming them. */
  readonly unnamed: number;
}

/**
 * Names of the failed tests; `undefined` if no known tool has written the log.
 *
 * @param roots folders that the command ran in; paths below them are made relative.
 */
export function failedTests(
  log: string,
  roots: readonly string[] = [],
): readonly string[] | undefined {
  const readers = startReaders();
  eachLine(log, readers.line);
  return readers.result(roots)?.failures;
}

/** The same of a file of any size. */
export async function failuresInLog(
  file: string,
  roots: readonly string[],
): Promise<LogFailures | undefined> {
  const readers = startReaders();
  await eachLineOf(file, readers.line);
  return readers.result(roots);
}

function startReaders() {
  const readers = FORMATS.map((format) => format());
  return {
    line(text: string): void {
      for (const reader of readers) reader.line(text);
    },
    result(roots: readonly string[]): LogFailures | undefined {
      const found = readers.flatMap((reader) => reader.findings() ?? []);
      if (found.length === 0) return undefined;
      const names = found.flatMap(({ failures }) => failures);
      return { failures: comparableNames(names, roots), unnamed: sum(found.map(missing)) };
    },
  };
}

function missing({ failures, counted }: Findings): number {
  return Math.max(0, counted - failures.length);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
