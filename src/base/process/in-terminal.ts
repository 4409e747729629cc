/** Programs that take over the terminal of this one for a while. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Environment } from '../environment.ts';
import { ExplainedError } from '../errors.ts';

interface TerminalProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
}

/** @returns its exit code, as a shell tells it. @throws {ExplainedError} if it does not start. */
export async function inTerminal({ program, args, cwd, env }: TerminalProgram): Promise<number> {
  // Ctrl-C reaches both, and is meant for the program.
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  try {
    const child = spawn(program, args, { cwd, env, stdio: 'inherit' });
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ExplainedError(`${program} could not be started: ${why}`);
  } finally {
    process.off('SIGINT', ignore);
  }
}
