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

export interface LogBounds {
  /** A log that is not larger stays as it is. */
  readonly most: number;
  readonly head: number;
  readonly tail: number;
}

/**
 * Leaves out the middle, in whole lines where there are any. Programs that append go on at the new end; a
 * line that one writes in the very moment of the cut may be lost.
 *
 * @returns the new size; `undefined` if nothing was cut.
 */
export function cutLog(path: string, { most, head, tail }: LogBounds): number | undefined {
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
    // In place, and cut off last: what is appended meanwhile is behind it.
    writeSync(file, rest, 0, rest.length, start);
    ftruncateSync(file, start + rest.length);
    return start + rest.length;
  } finally {
    closeSync(file);
  }
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
