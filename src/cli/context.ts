import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../environment.ts';
import { UsageError } from '../errors.ts';

/** Where a command reads and writes; tests hand in buffers. */
export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** What every command gets: the host it runs in and how it may speak. Made once, in `main.ts`. */
export interface Context {
  readonly env: Environment;
  /** Absolute folder the command works on: `--project`, LANEHOLD_PROJECT or the working directory. */
  readonly cwd: string;
  readonly now: () => Date;
  readonly streams: Streams;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** The result: `data` as JSON under `--json`, else `text`, to stdout. Called once per command. */
  print(data: unknown, text: string): void;
  /** What happens meanwhile, to stderr; nothing under `--quiet` or `--json`. */
  progress(line: string): void;
}

/** The process as the program sees it; the only place that knows better is `main.ts`. */
export interface Host {
  /** What was typed after the program's name. */
  readonly argv: readonly string[];
  readonly env: Context['env'];
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
  return {
    env,
    now,
    streams,
    json,
    quiet,
    verbose,
    cwd: projectFolder(host, options.project),
    print(data, text) {
      streams.stdout.write(`${json ? JSON.stringify(data, null, 2) : text}\n`);
    },
    progress(line) {
      if (!quiet && !json) streams.stderr.write(`${line}\n`);
    },
  };
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
