/** Reads a file that grows: what it holds so far, and at each further call what was added. */
import { closeSync, fstatSync, readSync } from 'node:fs';
import { openPlainFile } from '../../files/plain-file.ts';

export interface GrowingFile {
  /** The next bytes, at most `PIECE`; empty if there are none, or no file yet. */
  read(): Buffer;
}

const PIECE = 1024 * 1024;

/** @param tailBytes start this far before the end, at the start of a line. */
export function growingFile(path: string, tailBytes = Number.POSITIVE_INFINITY): GrowingFile {
  let position: number | undefined;
  return {
    read() {
      const descriptor = openPlainFile(path);
      if (descriptor === undefined) return Buffer.alloc(0);
      try {
        const { size } = fstatSync(descriptor);
        position ??= startOf(descriptor, size, tailBytes);
        const piece = Buffer.alloc(Math.min(PIECE, Math.max(0, size - position)));
        const count = readSync(descriptor, piece, 0, piece.length, position);
        position += count;
        return piece.subarray(0, count);
      } finally {
        closeSync(descriptor);
      }
    },
  };
}

function startOf(descriptor: number, size: number, tailBytes: number): number {
  if (size <= tailBytes) return 0;
  const start = size - tailBytes;
  const piece = Buffer.alloc(Math.min(PIECE, tailBytes));
  const count = readSync(descriptor, piece, 0, piece.length, start);
  const end = piece.subarray(0, count).indexOf('\n');
  return end === -1 ? start : start + end + 1;
}

/** The last lines of a file, read from its end. */
export function lastLines(path: string, count: number, tailBytes = 256 * 1024): string[] {
  const file = growingFile(path, tailBytes);
  const text = Buffer.concat([...pieces(file)]).toString('utf8');
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.slice(-count);
}

export function* pieces(file: GrowingFile): Generator<Buffer> {
  for (let piece = file.read(); piece.length > 0; piece = file.read()) yield piece;
}
