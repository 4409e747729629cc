import { readSync } from 'node:fs';
import { fromPlainFile } from './plain-file.ts';

const PIECE = 1024 * 1024;

/** A reader for a file that grows: each call yields, in pieces, what was added since the last one. */
export function growingFile(path: string): () => Generator<Buffer> {
  let position = 0;
  const next = (descriptor: number, size: number): Buffer => {
    // If the middle of the file was removed meanwhile, reading continues at its end.
    const from = Math.min(position, size);
    const piece = Buffer.alloc(Math.min(PIECE, size - from));
    const read = piece.subarray(0, readSync(descriptor, piece, 0, piece.length, from));
    position = from + read.length;
    return read;
  };
  return function* () {
    for (let piece = fromPlainFile(path, next); piece?.length; piece = fromPlainFile(path, next)) {
      yield piece;
    }
  };
}
