/** Locks by which processes take turns at what belongs to one project. */
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

/** Runs alone, and leaves no file. Waits without blocking: the holder may be of this process. */
export async function withLockFile<T>(
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

type LockKind = 'worktrees' | 'setup-cache' | 'recall' | 'dream';

interface LockWish extends Patience {
  /** Folder of lock files. */
  readonly locks: string;
  readonly kind: LockKind;
  /** Identity of the project. */
  readonly identity: string;
}

/** Runs alone for each kind and project. */
export function withLock<T>(
  { locks, kind, identity, ...patience }: LockWish,
  work: () => Promise<T>,
): Promise<T> {
  return withLockFile(lockFile(locks, kind, shortHash(identity)), patience, work);
}

function lockFile(locks: string, kind: LockKind, hash: string): string {
  makePrivateFolder(locks);
  return join(locks, `${kind}-${hash}.lock`);
}

/**
 * Runs only if no other process is at it.
 *
 * @param hash of the project's identity, by `shortHash`. @returns `undefined` if another process is at it.
 */
export async function whileFree<T>(
  locks: string,
  kind: LockKind,
  hash: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const lock = takeLock(lockFile(locks, kind, hash));
  try {
    return lock && (await work());
  } finally {
    lock?.release();
  }
}

const WORKTREES_WAIT_MS = 300_000;

/** git's commands on worktrees of one repository compete for the same lock files. */
export function withWorktreesLock<T>(
  locks: string,
  { identity, root }: { readonly identity: string; readonly root: string },
  work: () => Promise<T>,
): Promise<T> {
  const what = `other worktrees of ${root} to be made`;
  return withLock({ locks, kind: 'worktrees', identity, waitMs: WORKTREES_WAIT_MS, what }, work);
}

export const shortHash = (text: string): string => sha256(text).slice(0, 16);
