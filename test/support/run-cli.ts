import { createRequire } from 'node:module';
import { bufferedHost } from './buffered-host.ts';
import { type Ran, runNode } from './program.ts';
import { CLI_PROGRAM } from './sandbox.ts';

/** Vite would keep its text with a source map, 80 MB, which each start of a program has to copy. */
const loadBuilt = createRequire(import.meta.url);

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
    const { main } = loadBuilt('../../dist/cli.cjs');
    const { host, said } = bufferedHost(args, { env, cwd: () => cwd, now: () => new Date() });
    const exitCode: number = await main(host);
    return { exitCode, signal: null, ...said };
  } finally {
    isRunning = false;
  }
}
