import type { Readable, Writable } from 'node:stream';

/** Where a command reads and writes; tests hand in buffers. */
export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** What every command gets: the world it runs in and how it may speak. Made once, in `main.ts`. */
export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>;
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
