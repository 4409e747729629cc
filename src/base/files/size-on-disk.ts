/** The size of files and folders. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../errors.ts';

/** The most files that are counted, because trees of lanes may have packages in them. */
const MOST_FILES = 20_000;

/**
 * @param onFile is told the size of each file, and when it was written last.
 * @returns `isWhole` is false if there are more bytes than were counted.
 */
export function sizeOnDisk(path: string, onFile?: (bytes: number, at: Date) => void) {
  let bytes = 0;
  let files = 0;
  const open = [path];
  for (let at = open.pop(); at !== undefined && files < MOST_FILES; at = open.pop()) {
    const folder = at;
    const entry = attempt(() => lstatSync(folder));
    files += 1;
    if (entry === undefined) continue;
    bytes += entry.isDirectory() ? 0 : entry.size;
    if (!entry.isDirectory()) onFile?.(entry.size, entry.mtime);
    else open.push(...(attempt(() => readdirSync(folder)) ?? []).map((name) => join(folder, name)));
  }
  return { bytes, isWhole: open.length === 0 };
}
