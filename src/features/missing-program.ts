/** Whether a smoke test ended because its runner is not installed: that says nothing of the content. */
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
];
const BY_SHELL = /(?:^|[:\s])([\w@./+-]+): (?:command )?not found$/gm;
const NOT_FOUND = 127;

/** The name of the program, as far as it is told; `undefined` if the test has run. */
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
