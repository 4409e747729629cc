import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ExplainedError } from '../../errors.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { takeLock } from '../../store/held-lock.ts';

const POLL_MS = 25;

export interface LockWish {
  readonly file: string;
  readonly waitMs: number;
  /** What is waited for, after "waited 60 s for". */
  readonly what: string;
}

/** Waits without blocking: the holder may be another task of this process. */
export async function withLock<T>(
  { file, waitMs, what }: LockWish,
  work: () => Promise<T>,
): Promise<T> {
  makePrivateFolder(dirname(file));
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
    lock.release();
  }
}

const WORKTREES_WAIT_MS = 300_000;

/** Runs alone for each repository, since git's commands on worktrees compete for the same lock files. */
export function withWorktreesLock<T>(
  locks: string,
  { identity, root }: { readonly identity: string; readonly root: string },
  work: () => Promise<T>,
): Promise<T> {
  const file = repositoryLock(locks, 'worktrees', identity);
  const what = `other worktrees of ${root} to be made`;
  return withLock({ file, waitMs: WORKTREES_WAIT_MS, what }, work);
}

/** The path of a lock for one repository. @param identity of the project. */
export function repositoryLock(locks: string, kind: string, identity: string): string {
  return join(locks, `${kind}-${shortHash(identity)}.lock`);
}

export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
