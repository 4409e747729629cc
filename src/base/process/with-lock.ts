/** Locks with which processes take turns at work on one project. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ExplainedError } from '../errors.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import { sha256 } from '../text/sha256.ts';
import { takeLock } from './held-lock.ts';

const POLL_MS = 25;

interface Patience {
  readonly waitMs: number;
  /** What is waited for, after "waited 60 s for". */
  readonly what: string;
}

/** Runs the work alone, and leaves no file. Waits without blocking, because the holder may be in this process. */
export async function withLock<T>(
  file: string,
  { waitMs, what }: Patience,
  work: () => T | Promise<T>,
): Promise<T> {
  const deadline = performance.now() + waitMs;
  let lock = takeLock(file);
  while (lock === undefined) {
    if (performance.now() > deadline) {
      throw new ExplainedError(`waited ${Math.round(waitMs / 1000)} s for ${what}`, {
        hint: 'see what else runs there with `lanehold status`, then try again',
      });
    }
    await pause(POLL_MS);
    lock = takeLock(file);
  }
  try {
    return await work();
  } finally {
    lock.discard();
  }
}

/** The lock file of one kind of work on a project. @param hash `shortHash` of its identity. */
export function lockFile(
  locks: string,
  kind: 'worktrees' | 'setup-cache' | 'recall' | 'dream' | 'team',
  hash: string,
): string {
  makePrivateFolder(locks);
  return join(locks, `${kind}-${hash}.lock`);
}

/** Runs the work only if no other process does; `undefined` if one does. */
export async function whileFree<T>(file: string, work: () => Promise<T>): Promise<T | undefined> {
  const lock = takeLock(file);
  try {
    return lock && (await work());
  } finally {
    lock?.release();
  }
}

const WORKTREES_WAIT_MS = 300_000;

/** Runs git's commands on worktrees one at a time: in one repository they compete for the same lock files. */
export function withWorktreesLock<T>(
  locks: string,
  { identity, root }: { readonly identity: string; readonly root: string },
  work: () => Promise<T>,
): Promise<T> {
  const what = `other worktrees of ${root} to be made`;
  const file = lockFile(locks, 'worktrees', shortHash(identity));
  return withLock(file, { waitMs: WORKTREES_WAIT_MS, what }, work);
}

export const shortHash = (text: string): string => sha256(text).slice(0, 16);
