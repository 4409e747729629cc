import { readSync } from 'node:fs';
import { fromPlainFile } from './plain-file.ts';

const PIECE = 1024 * 1024;

/**
 * A reader for a file that grows: each call yields, in pieces, what was added since the last one.
 *
 * @param tailBytes start this far before the end, at the start of a line.
 */
export function growingFile(path: string, tailBytes = Infinity): () => Generator<Buffer> {
  let position: number | undefined;
  const next = (descriptor: number, size: number): Buffer => {
    const start = position ?? Math.max(0, size - tailBytes);
    const isWithinLine = position === undefined && start > 0;
    // If the middle of the file was left out meanwhile, reading goes on from its end.
    const from = Math.min(start, size);
    const piece = Buffer.alloc(Math.min(PIECE, size - from));
    const read = piece.subarray(0, readSync(descriptor, piece, 0, piece.length, from));
    position = from + read.length;
    return isWithinLine ? read.subarray(read.indexOf('\n') + 1) : read;
  };
  return function* () {
    for (let piece = fromPlainFile(path, next); piece?.length; piece = fromPlainFile(path, next)) {
      yield piece;
    }
  };
}
