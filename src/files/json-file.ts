/** Small files by which processes tell each other facts. */
import { closeSync, existsSync, fsyncSync, lstatSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import { readPlainFile } from './plain-file.ts';
import { PRIVATE, replaceFile } from './replace-file.ts';

/** `unreadable`: half a file, because somebody is still writing or the disk was full, or not ours. */
export function readJsonFile<T extends z.ZodMiniType>(
  path: string,
  shape: T,
): z.infer<T> | 'none' | 'unreadable' {
  const text = readPlainFile(path);
  if (text === undefined) return existsSync(path) ? 'unreadable' : 'none';
  try {
    const read = z.safeParse(shape, JSON.parse(text));
    return read.success ? read.data : 'unreadable';
  } catch (error) {
    if (error instanceof SyntaxError) return 'unreadable';
    throw error;
  }
}

/**
 * All or nothing, for its owner alone: whoever reads it meanwhile sees what was there before. After a
 * power loss, too, it is the one or the other; without the first `fsync` it could be a name alone.
 */
export function writeJsonFile(path: string, value: unknown): void {
  // A rename replaces everything but a folder.
  if (isFolder(path)) rmSync(path, { recursive: true });
  replaceFile(path, JSON.stringify(value), { mode: PRIVATE });
  syncFolder(dirname(path));
}

const isFolder = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Names are kept in their folder. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
