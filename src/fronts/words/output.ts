/** What the one who reads the words has asked for, and where they are written. */
import type { Readable, Writable } from 'node:stream';
import type { AppContext } from '../../app/context.ts';

/** Where a command reads and writes; tests hand in buffers. */
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
