/** Reserved disk space: a file that is deleted when the disk is full, so that events can still be recorded. */
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../base/errors.ts';
import { type Home, HomeUnavailableError } from '../base/files/home.ts';
import { PRIVATE, replaceFile } from '../base/files/replace-file.ts';
import { isDiskFullError } from './errors.ts';

const MEBIBYTE = 1024 ** 2;

/** Enough for the database's journal, the last records, and the objects of a last checkpoint. */
const SIZE = 16 * MEBIBYTE;

/** With less free space no reserve is made, because it would itself cause the shortage. */
const PLENTY = 8 * SIZE;

/** With less free space a failed write may report another cause. */
const NOTHING = MEBIBYTE;

const fileIn = ({ root }: Home): string => join(root, 'reserve');

export const hasReserve = (home: Home): boolean => existsSync(fileIn(home));

/** Creates the reserve if it is missing and there is enough space. After a failure the next call tries again. */
export function keepReserve(home: Home): void {
  if (hasReserve(home) || freeBytes(home.root) < PLENTY) return;
  const file = fileIn(home);
  // Zeros could be compressed, or stored without blocks.
  attempt(() => replaceFile(file, randomBytes(SIZE), { mode: PRIVATE, draft: `${file}.tmp` }));
}

/** Deletes the reserve; false if there was none. */
export function spendReserve(home: Home): boolean {
  if (!hasReserve(home)) return false;
  rmSync(fileIn(home), { force: true });
  return true;
}

/** True if the disk is full. SQLite does not say so if it cannot even create its files. */
export function failedOnFullDisk({ root }: Home, error: unknown): boolean {
  if (isDiskFullError(error)) return true;
  return error instanceof HomeUnavailableError && freeBytes(root) < NOTHING;
}

interface Writable {
  readonly home: Home;
  write<T>(work: () => T): T;
}

/** A store that deletes the reserve and repeats a write that failed because the disk is full. */
export function onReserve<S extends Writable>(store: S): S {
  return {
    ...store,
    write<T>(work: () => T): T {
      try {
        return store.write(work);
      } catch (error) {
        if (failedOnFullDisk(store.home, error) && spendReserve(store.home))
          return store.write(work);
        throw error;
      }
    },
  };
}

/** Infinite if the file system does not tell. */
export function freeBytes(folder: string): number {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return blocks === 0 ? Infinity : bavail * bsize;
  } catch {
    return Infinity;
  }
}
