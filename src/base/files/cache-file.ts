/**
 * Files in the cache of LANEHOLD_HOME. They only save time: one that is missing, damaged, or that
 * another user could have written is as none.
 */
import {
  chmodSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Environment } from '../environment.ts';
import { attempt } from '../errors.ts';
import { makePrivateFolder } from './private-folder.ts';

/** Nothing is made; `undefined` if there is no home. */
export function cacheFolder({ LANEHOLD_HOME, HOME }: Environment): string | undefined {
  const home = LANEHOLD_HOME || (HOME && join(HOME, '.lanehold'));
  return home && isAbsolute(home) ? join(home, 'cache') : undefined;
}

export function readCacheFile(file: string): Buffer | undefined {
  return attempt(() => {
    return isPrivateFile(file) ? proven(readFileSync(file)) : undefined;
  });
}

/** Whether no other user can have written or replaced it. @throws if it is not there. */
export const isPrivateFile = (file: string): boolean =>
  isPrivate(lstatSync(dirname(file))) && isPrivate(lstatSync(file));

function isPrivate({ uid, mode }: Stats): boolean {
  return (mode & OTHERS) === 0 && (process.getuid === undefined || uid === process.getuid());
}

const OTHERS = 0o077;

/**
 * Each file has its content twice, because nothing else tells that a disk or a crash has changed it.
 * Comparing the halves is faster than any checksum, and needs no wait for the disk.
 */
function proven(file: Buffer): Buffer | undefined {
  const half = Math.ceil(file.length / 2);
  const content = file.subarray(0, half);
  return half > 0 && content.equals(file.subarray(half)) ? content : undefined;
}

/** In one step. What cannot be kept is worked out again. */
export function writeCacheFile(file: string, content: Buffer): void {
  const draft = `${file}.${process.pid}.tmp`;
  attempt(() => {
    const folder = dirname(file);
    makePrivateFolder(folder);
    if (!isPrivate(lstatSync(folder))) chmodSync(folder, 0o700);
    try {
      writeFileSync(draft, Buffer.concat([content, content]), { mode: 0o600 });
      renameSync(draft, file);
    } catch {
      rmSync(draft, { force: true });
    }
  });
}
