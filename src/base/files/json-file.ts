/** Small JSON files by which processes exchange facts. */
import { closeSync, existsSync, fsyncSync, lstatSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod/mini';
import { readPlainFile } from './plain-file.ts';
import { PRIVATE, replaceFile } from './replace-file.ts';

/** Reads a file. `unreadable`: it is incomplete, because the disk was full, or has another shape. */
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

/** Replaces a file in one step, which also survives a power failure: the folder is written to the disk as well. */
export function writeJsonFile(path: string, value: unknown): void {
  // A rename replaces everything but a folder.
  const isFolder = lstatSync(path, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder) rmSync(path, { recursive: true });
  replaceFile(path, JSON.stringify(value), { mode: PRIVATE });
  const descriptor = openSync(dirname(path), 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
