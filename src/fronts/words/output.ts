/** The options of the reader, and the output streams. */
import type { Readable, Writable } from 'node:stream';
import type { AppContext } from '../../app/context.ts';

/** A stream that knows its size, if it leads to a terminal. */
type Terminal = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean; readonly fd?: number };
  readonly stdout: Terminal;
  readonly stderr: Terminal;
}

export interface Output extends Pick<AppContext, 'env' | 'now' | 'progress'> {
  readonly streams: Streams;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}
