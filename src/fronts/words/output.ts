/** The wishes of the reader, and the streams that words are written to. */
import type { Readable, Writable } from 'node:stream';
import type { AppContext } from '../../app/context.ts';

export interface Streams {
  readonly stdin: Readable;
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

export interface Output extends Pick<AppContext, 'env' | 'now' | 'progress'> {
  readonly streams: Streams;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}
