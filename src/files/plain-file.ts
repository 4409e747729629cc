/**
 * Files that somebody else may have put there: a worker can write where its supervisor looks. A
 * folder is no file, and whoever opens a pipe waits for ever.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { codeOf } from '../errors.ts';

/** More than any file of facts has. */
const MOST_BYTES = 64 * 1024 * 1024;

/** A descriptor for reading; `undefined` if there is no plain file of this name. */
export function openPlainFile(path: string): number | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (NO_FILE.has(codeOf(error))) return undefined;
    throw error;
  }
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  return undefined;
}

/** Nothing there, nothing that leads there, a socket. */
const NO_FILE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EISDIR']);

/** `undefined` if there is no plain file of this name, or one that is too large to be meant. */
export function readPlainFile(path: string): string | undefined {
  const descriptor = openPlainFile(path);
  if (descriptor === undefined) return undefined;
  try {
    if (fstatSync(descriptor).size > MOST_BYTES) return undefined;
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}
