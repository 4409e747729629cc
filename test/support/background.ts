import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { compileCache } from './program.ts';

const PROGRAMS = join(import.meta.dirname, '../fixtures/bin');

export interface Background {
  readonly pid: number;
  /** The first line that it wrote. */
  readonly said: string;
  /** Sends it a signal; SIGKILL also waits until it is gone. */
  signal(signal: NodeJS.Signals): Promise<void>;
}

export function fixture(name: string): string {
  return join(PROGRAMS, name);
}

/** Starts a program of `test/fixtures/bin` and waits for its first line. It ends with the test. */
export async function inBackground(
  script: string,
  args: readonly string[],
  nodeOptions: readonly string[] = [],
): Promise<Background> {
  const child = spawn(process.execPath, [...nodeOptions, fixture(script), ...args], {
    env: { ...process.env, ...compileCache() },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${script} cannot be started`);
  onTestFinished(() => end(child));
  const lines = createInterface(child.stdout);
  const [said] = await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => ['(ended)']),
  ]);
  return {
    pid,
    said,
    signal: async (signal) => (signal === 'SIGKILL' ? end(child) : void child.kill(signal)),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
