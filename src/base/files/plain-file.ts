/**
 * Reads files in folders that others can write to, such as a worker's. A folder or a pipe in place
 * of a file must not fail or block the reader.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { codeOf } from '../errors.ts';

/** The largest file that is read; no such file needs more. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Refuses to open a link. */
export const NO_LINK = constants.O_NOFOLLOW;

/** A descriptor for reading; `undefined` if there is no plain file of this name. */
export function openPlainFile(path: string, flag = 0): number | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flag);
  } catch (error) {
    if (NO_FILE.has(codeOf(error))) return undefined;
    throw error;
  }
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  return undefined;
}

/** The errors of a missing path, a link to itself, a socket, and a folder. */
const NO_FILE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR']);

/** The result of `read` for an open file; `undefined` if there is no plain file of this name. */
export function fromPlainFile<T>(
  path: string,
  read: (descriptor: number, size: number) => T,
  flag?: number,
): T | undefined {
  const descriptor = openPlainFile(path, flag);
  if (descriptor === undefined) return undefined;
  try {
    return read(descriptor, fstatSync(descriptor).size);
  } finally {
    closeSync(descriptor);
  }
}

/** The text; `undefined` if there is no plain file of this name, or if it is too large. */
export const readPlainFile = (path: string): string | undefined =>
  fromPlainFile(path, (it, size) => (size > MOST_BYTES ? undefined : readFileSync(it, 'utf8')));

/** The first bytes; empty if there is no plain file of this name. */
export const startOfFile = (path: string, mostBytes: number): Buffer =>
  partOf(path, () => 0, mostBytes);

/** The last bytes; empty if there is no plain file of this name. */
export const endOfFile = (path: string, mostBytes: number): Buffer =>
  partOf(path, (size) => Math.max(0, size - mostBytes), mostBytes);

function partOf(path: string, start: (size: number) => number, mostBytes: number): Buffer {
  const part = fromPlainFile(path, (descriptor, size) => {
    const bytes = Buffer.alloc(Math.min(size, mostBytes));
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, start(size)));
  });
  return part ?? Buffer.alloc(0);
}
