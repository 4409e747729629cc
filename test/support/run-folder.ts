/**
 * Vitest's global set-up: one folder for all temporary files of a run, in memory where that is
 * possible. Tests make and delete thousands of small files, for which a disk's file system can
 * take twenty times as long.
 */
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  mkdtempSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { removeTree } from './remove-tree.ts';

/** Variable that names the folder of what `copyTemplate` copies. */
export const TEMPLATES = 'LANEHOLD_TEST_TEMPLATES';

const MEMORY = '/dev/shm';
const NEEDED_BYTES = 2 * 1024 ** 3;
/** From linux/magic.h. */
const TMPFS = 0x01021994;

export function setup(): () => void {
  const folder = inMemory() ?? mkdtempSync(join(tmpdir(), 'lanehold-'));
  // Some tests continue as a user without privileges.
  chmodSync(folder, 0o755);
  process.env[TEMPLATES] = join(folder, 'templates');
  mkdirSync(process.env[TEMPLATES]);
  process.env.TMPDIR = folder;
  process.env.PATH = readable(process.env.PATH ?? '');
  return () => removeTree(folder);
}

/** With another user's folders on it, a program that does not exist would be one that may not run. */
function readable(path: string): string {
  const isReadable = (folder: string): boolean => {
    try {
      accessSync(folder, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return path.split(delimiter).filter(isReadable).join(delimiter);
}

/** Nothing if TMPDIR names another folder, or there is too little space, or no program can run. */
function inMemory(): string | undefined {
  if (process.env.TMPDIR || !isLargeTmpfs()) return undefined;
  const folder = mkdtempSync(join(MEMORY, 'lanehold-'));
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n');
  chmodSync(program, 0o755);
  if (spawnSync(program).status === 0) return folder;
  removeTree(folder);
  return undefined;
}

function isLargeTmpfs(): boolean {
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY);
    return type === TMPFS && bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false;
  }
}
