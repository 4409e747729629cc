import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { AppContext } from '../app/context.ts';
import type { Environment } from '../environment.ts';
import { ExitCode, UsageError } from '../errors.ts';
import type { Store } from '../store/open.ts';

/** Where a command reads and writes; tests hand in buffers. */
export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** What every command gets: what use cases need, and how to print. Made once, in `main.ts`. */
export interface Context extends AppContext {
  readonly streams: Streams;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /**
   * Prints the result, once per command: `data` as JSON under `--json`, else `text`.
   *
   * @returns the exit code, which a command ends with.
   */
  print(data: unknown, text: string, exitCode?: number): number;
}

/** The process as the program sees it: `main.ts` makes one of `process`, tests of buffers. */
export interface Host {
  /** What was typed after the program's name. */
  readonly argv: readonly string[];
  readonly env: Environment;
  /** @throws if the working directory was deleted. */
  readonly cwd: () => string;
  readonly now: () => Date;
  readonly streams: Streams;
}

/** Options that every command takes, as commander delivers them. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  /** `true` where a command gives the bare flag a meaning of its own. */
  readonly project?: string | boolean;
}

export function createContext(host: Host, options: GlobalOptions): Context {
  const { env, now, streams } = host;
  const { json = false, quiet = false, verbose = false } = options;
  let store: Promise<Store> | undefined;
  return {
    env,
    now,
    streams,
    json,
    quiet,
    verbose,
    cwd: projectFolder(host, options.project),
    store() {
      store ??= openStore(env);
      return store;
    },
    print(data, text, exitCode = ExitCode.done) {
      streams.stdout.write(`${json ? JSON.stringify(data, null, 2) : text}\n`);
      return exitCode;
    },
    // Nothing under `--quiet` or `--json`.
    progress(line) {
      if (!quiet && !json) streams.stderr.write(`${line}\n`);
    },
  };
}

async function openStore(env: Environment): Promise<Store> {
  const [{ openStore: open }, { homeOf }] = await Promise.all([
    import('../store/open.ts'),
    import('../store/home.ts'),
  ]);
  return open(homeOf(env));
}

function projectFolder({ env, cwd }: Host, option: string | boolean | undefined): string {
  const wanted = typeof option === 'string' ? option : env.LANEHOLD_PROJECT;
  if (!wanted) return cwd();
  const folder = resolve(cwd(), wanted);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    const source = typeof option === 'string' ? '--project' : 'LANEHOLD_PROJECT';
    throw new UsageError(`there is no folder ${folder}`, { hint: `correct ${source}` });
  }
  return folder;
}
