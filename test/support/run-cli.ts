import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bufferedHost } from './buffered-host.ts';
import { type Ran, runNode } from './program.ts';
import { CLI_PROGRAM } from './sandbox.ts';

const MODULE = pathToFileURL(resolve(import.meta.dirname, '../../dist/cli.cjs')).href;

let isRunning = false;

/**
 * Runs the built command line, in this process if it can: a start of Node costs more than most
 * commands. A command that comes while another one runs gets a process of its own, because a
 * command reports its exit code through the process.
 */
export async function runCli(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Ran> {
  if (isRunning) return runNode(CLI_PROGRAM, args, { cwd, env });
  isRunning = true;
  try {
    const { main } = await import(/* @vite-ignore */ MODULE);
    const { host, said } = bufferedHost(args, { env, cwd: () => cwd, now: () => new Date() });
    const exitCode: number = await main(host);
    return { exitCode, signal: null, ...said };
  } finally {
    isRunning = false;
  }
}
