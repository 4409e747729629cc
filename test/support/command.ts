import { createReadStream, openSync } from 'node:fs';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { main } from '../../src/fronts/main.ts';
import { bufferedHost } from './buffered-host.ts';
import type { Sandbox } from './sandbox.ts';
import { makeUsedHome } from './used-home.ts';

export interface CommandRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface CommandOptions {
  readonly now?: Date;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The words of the processes above the command. */
  readonly parents?: readonly (readonly string[])[];
  readonly program?: string;
  /** What comes on standard input. */
  readonly input?: string;
  /** A file that is standard input instead. */
  readonly inputFile?: string;
  /** Where lines of progress can be replaced. */
  readonly onTerminal?: boolean;
  /** Of the terminal that it prints to. */
  readonly columns?: number;
}

/**
 * Runs a command line in this process: the code of the built program without its start, and with a
 * clock that can be set. What needs a process (signals, `bin/`) goes through `sandbox().cli`.
 */
export async function command(
  box: Sandbox,
  directory: string,
  argv: readonly string[],
  {
    now,
    env,
    parents = [],
    program = 'lanehold',
    input,
    inputFile,
    onTerminal = false,
    columns,
  }: CommandOptions = {},
): Promise<CommandRun> {
  const isOwnHome = (env?.LANEHOLD_HOME ?? box.env.LANEHOLD_HOME) === box.laneholdHome;
  if (isOwnHome) await makeUsedHome(box.laneholdHome);
  const { host, said } = bufferedHost(argv, {
    env: { ...box.env, ...env },
    cwd: () => directory,
    program,
    parents: () => parents,
    now: () => now ?? new Date(),
  });
  if (input !== undefined) Object.assign(host.streams, { stdin: Readable.from([input]) });
  if (inputFile !== undefined) {
    const fd = openSync(inputFile, 'r');
    Object.assign(host.streams, { stdin: createReadStream('', { fd }) });
  }
  if (onTerminal) Object.assign(host.streams.stderr, { isTTY: true });
  if (columns !== undefined) Object.assign(host.streams.stdout, { columns });
  const exitCode = await main(host);
  await setImmediate();
  return { exitCode, ...said };
}
