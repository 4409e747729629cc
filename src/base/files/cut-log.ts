/** Keeps an appended log from filling the disk: its beginning and its end stay. */
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
 * Removes the middle of a log, in whole lines if it has lines. Programs that append continue at the new end; a line
 * that is written in the moment of the cut may be lost.
 *
 * @param bounds in bytes: a log of up to `most` stays as it is; of a larger one, `head` and `tail` stay.
 * @returns the new size; `undefined` if nothing was cut.
 */
export function cutLog(
  path: string,
  { most, head, tail }: Readonly<Record<'most' | 'head' | 'tail', number>>,
): number | undefined {
  // A worker may have put a link here, and its target must not be cut.
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
    // The file is written in place and truncated last, so that appending programs keep their descriptor.
    writeSync(file, rest, 0, rest.length, start);
    // The text that was appended meanwhile is moved too.
    const more = readAt(file, stats.size, Math.max(0, fstatSync(file).size - stats.size));
    writeSync(file, more, 0, more.length, start + rest.length);
    ftruncateSync(file, start + rest.length + more.length);
    return start + rest.length + more.length;
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
