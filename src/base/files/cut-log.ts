/** Keeps a log that programs append to from filling the disk: its beginning and its end stay. */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { attempt } from '../errors.ts';

/**
 * Leaves out the middle, in whole lines where there are any. Programs that append go on at the new end; a
 * line that one writes in the very moment of the cut may be lost.
 *
 * @param bounds in bytes: a log of `most` stays as it is, of a larger one `head` and `tail`.
 * @returns the new size; `undefined` if nothing was cut.
 */
export function cutLog(
  path: string,
  { most, head, tail }: Readonly<Record<'most' | 'head' | 'tail', number>>,
): number | undefined {
  // A worker may have put a link here: nobody else's file is cut.
  const flags = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = attempt(() => openSync(path, flags));
  if (file === undefined) return undefined;
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.nlink > 1 || stats.size <= most) return undefined;
    const start = wholeHead(readAt(file, 0, head));
    const end = wholeTail(readAt(file, stats.size - tail, tail));
    const left = stats.size - start - end.length;
    const rest = Buffer.concat([Buffer.from(`[lanehold: ${left} bytes left out]\n`), end]);
    // The file is written in place and cut off last, so that appending programs keep their descriptor.
    writeSync(file, rest, 0, rest.length, start);
    const size = start + rest.length + takeAlong(file, stats.size, start + rest.length);
    ftruncateSync(file, size);
    return size;
  } finally {
    closeSync(file);
  }
}

/** Enough to catch up with a program that writes as fast as it can. */
const ROUNDS = 20;

/** Moves what was appended meanwhile to its new place. @returns how many bytes. */
function takeAlong(file: number, from: number, to: number): number {
  let moved = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const left = fstatSync(file).size - from - moved;
    const more = readAt(file, from + moved, Math.max(0, left));
    if (more.length === 0) break;
    moved += writeSync(file, more, 0, more.length, to + moved);
  }
  return moved;
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}

const wholeHead = (bytes: Buffer): number => bytes.lastIndexOf('\n') + 1 || bytes.length;

function wholeTail(bytes: Buffer): Buffer {
  const first = bytes.indexOf('\n') + 1;
  return first === bytes.length ? bytes : bytes.subarray(first);
}
