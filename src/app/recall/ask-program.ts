/** Asks a program of the user, such as an agent's client, with a prompt on its standard input. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withoutSession } from '../../agents/worker/environment.ts';
import type { Home } from '../../base/files/home.ts';
import { failureOf, runShell } from '../../base/process/program.ts';
import { redact } from '../../base/text/redact/redact.ts';

const MOST_OUTPUT_BYTES = 1_000_000;

interface Asking {
  readonly text: string;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** About four characters each. */
export const tokensIn = (text: string): number => Math.ceil(text.length / 4);

/** Runs the program in an empty folder, which is then removed. With a `problem` its output is not usable. */
export async function askProgram(
  home: Home,
  env: NodeJS.ProcessEnv,
  program: string,
  { text, signal, timeoutMs }: Asking,
): Promise<{ readonly output: string; readonly problem?: string }> {
  const folder = mkdtempSync(join(home.root, 'asked-'));
  try {
    const cwd = join(folder, 'empty');
    mkdirSync(cwd);
    writeFileSync(join(folder, 'prompt'), text, { mode: 0o600 });
    const outputFile = join(folder, 'answer');
    const outcome = await runShell({
      command: `exec <../prompt 2>../errors\n${program}`,
      // Pushes of the program are held, but it is no session of the project, nor part of the one that asks.
      env: { ...withoutSession(env), LANEHOLD_HOME: home.root, LANEHOLD_RECALL: 'off' },
      cwd,
      outputFile,
      signal,
      timeoutMs,
      maxOutputBytes: MOST_OUTPUT_BYTES,
    });
    const output = readFileSync(outputFile, 'utf8').slice(0, MOST_OUTPUT_BYTES);
    const failure = failureOf(outcome, timeoutMs);
    if (failure === undefined) return { output };
    const errors = readFileSync(join(folder, 'errors'), { encoding: 'utf8', flag: 'a+' });
    return { output, problem: `it ${failure}${lastLine(errors)}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function lastLine(text: string): string {
  const line = redact(text).trim().split('\n').at(-1) ?? '';
  return line === '' ? '' : `: ${line.slice(0, 200)}`;
}
