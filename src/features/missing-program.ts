/** Whether a smoke test ended because its runner is not installed, which says nothing about the content. */
import type { EvidenceRun } from '../store/evidence.ts';

/** Lines that shells and package managers print, with the name of the program. */
const REPORTS: readonly RegExp[] = [
  /npx canceled due to missing packages and no YES option: \["@?([^"@]+)/,
  /^\S*python[\d.]*: No module named ([\w.]+)$/m,
  // pnpm, yarn
  /\bCommand "([^"]+)" not found/,
  /^error: Failed to spawn: `([^`]+)`/m,
  /^Command not found: (\S+)$/m,
  /^bundler: command not found: (\S+)/m,
  /^error: no such command: `([^`]+)`/m,
  /\bCannot find (?:module|package) '(?:[^']*\/node_modules\/)?(vitest|jest|mocha|ava|tsx)\b/,
  /\bcannot load such file -- (rspec|minitest)\b/,
];
const BY_SHELL = /(?:^|[:\s])([\w@./+-]+): (?:command )?not found$/gm;
const NOT_FOUND = 127;

/** A cause that no content of the project decides, in the words of the program that reports it. */
export const hindranceIn = (text: string): string | undefined =>
  HINDRANCES.find(([pattern]) => pattern.test(text))?.[1];

const HINDRANCES: readonly (readonly [RegExp, string])[] = [
  [/\bEADDRINUSE\b|\baddress already in use\b/i, 'a port is in use'],
  [/\bENOSPC\b|\bno space left on device\b/i, 'no space is left on a disk'],
  [/\bEMFILE\b|\btoo many open files\b/i, 'too many files are open'],
];

/** The name of the program, if the output gives it; `undefined` if the test has run. */
export function missingProgram({
  outcome,
  exitCode,
  outputTail,
}: Pick<EvidenceRun, 'outcome' | 'exitCode' | 'outputTail'>): string | undefined {
  if (outcome !== 'exited' || exitCode === 0) return undefined;
  for (const report of REPORTS) {
    const [, name] = report.exec(outputTail) ?? [];
    if (name !== undefined) return name;
  }
  if (exitCode !== NOT_FOUND) return undefined;
  const [, name = 'a program of this command'] = [...outputTail.matchAll(BY_SHELL)].at(-1) ?? [];
  return name;
}
