/** The command line: makes the host, runs one command, and catches every error. */
import { CommanderError } from 'commander';
import { codeOf, ExitCode, ExplainedError } from '../errors.ts';
import { createContext, type GlobalOptions, type Host } from './context.ts';
import { COMMANDS, createProgram } from './program.ts';
import { renderFailure } from './render/failure.ts';

/** Runs what was typed and returns the exit code; never throws. */
export async function main(host: Host = ownHost(), commands = COMMANDS): Promise<number> {
  const { argv, streams } = host;
  ignoreClosedPipes(host);
  // Commands set `process.exitCode`; its earlier value is restored in the end.
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    let options: GlobalOptions = {};
    const program = createProgram(commands, streams, () => createContext(host, options));
    program.hook('preAction', (_, command) => {
      options = command.optsWithGlobals();
    });
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
    return Number(process.exitCode ?? ExitCode.done);
  } catch (error) {
    // Commander throws this after it has printed help or the version.
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
    const failure = await renderFailure(await explained(error, host), host);
    streams.stdout.write(failure.stdout);
    streams.stderr.write(failure.stderr);
    return failure.exitCode;
  } finally {
    process.exitCode = before;
  }
}

/** Errors of SQLite (damage, a lock, a full disk) as errors that say what to do. */
async function explained(error: unknown, { env }: Host): Promise<unknown> {
  const code = codeOf(error);
  if (!code.startsWith('SQLITE_')) return error;
  const [{ explainStoreError }, { homeOf }] = await Promise.all([
    import('../store/errors.ts'),
    import('../store/home.ts'),
  ]);
  return explainStoreError(homeOf(env).database, error);
}

function ownHost(): Host {
  return {
    argv: process.argv.slice(2),
    env: process.env,
    cwd: workingDirectory,
    now: () => new Date(),
    streams: process,
  };
}

function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new ExplainedError('the working directory no longer exists', {
      hint: 'change to another folder, or give `--project <dir>`',
      cause,
    });
  }
}

/** A reader that closes the pipe early (`lanehold log | head`) is no failure. */
function ignoreClosedPipes({ streams }: Host): void {
  for (const stream of [streams.stdout, streams.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
