/**
 * Room that is kept for the moment when there is none: a file beside the database that is deleted
 * when the disk is full, so that what happened can still be written down.
 */
import { randomFillSync } from 'node:crypto';
import {
  closeSync,
  existsSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../files/private-folder.ts';
import { isDiskFullError, StoreUnavailableError } from './errors.ts';
import { takeLock } from './held-lock.ts';
import type { Home } from './home.ts';

const MEBIBYTE = 1024 ** 2;

/** The log of the database, its ends, and the objects of a last checkpoint. */
const SIZE = 16 * MEBIBYTE;

/** On a disk with less room the reserve itself would be what is missing. */
const PLENTY = 8 * SIZE;

/** With less than this a write may fail in ways that do not say why. */
const NOTHING = MEBIBYTE;

const fileIn = ({ root }: Home): string => join(root, 'reserve');

export const hasReserve = (home: Home): boolean => existsSync(fileIn(home));

/** Makes it, where it is missing and there is plenty of room. Whoever fails leaves it to the next. */
export function keepReserve(home: Home): void {
  if (hasReserve(home) || freeBytes(home.root) < PLENTY) return;
  const locks = join(home.root, 'locks');
  makePrivateFolder(locks);
  const lock = takeLock(join(locks, 'reserve.lock'));
  if (lock === undefined) return;
  const draft = `${fileIn(home)}.tmp`;
  try {
    fill(draft);
    renameSync(draft, fileIn(home));
  } catch (error) {
    rmSync(draft, { force: true });
    if (!isDiskFullError(error)) throw error;
  } finally {
    lock.release();
  }
}

/** Random, because a file system may compress, or keep no blocks for zeros. */
function fill(file: string): void {
  const descriptor = openSync(file, 'w', 0o600);
  try {
    const chunk = Buffer.allocUnsafe(MEBIBYTE);
    for (let written = 0; written < SIZE; ) {
      written += writeSync(
        descriptor,
        randomFillSync(chunk),
        0,
        Math.min(MEBIBYTE, SIZE - written),
      );
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Gives the room up; false if there was none. */
export function spendReserve(home: Home): boolean {
  if (!hasReserve(home)) return false;
  rmSync(fileIn(home), { force: true });
  return true;
}

/** Whether it failed for want of room. A database that has none to begin with does not say so. */
export function failedOnFullDisk({ root }: Home, error: unknown): boolean {
  if (isDiskFullError(error)) return true;
  return error instanceof StoreUnavailableError && freeBytes(root) < NOTHING;
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

/** What cannot be asked, or has no answer as on some file systems, is no shortage. */
export function freeBytes(folder: string): number {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return blocks === 0 ? Infinity : bavail * bsize;
  } catch {
    return Infinity;
  }
}
