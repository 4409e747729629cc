/** In which repositories our git hook is, so that `uninstall` can take it out of all of them. */
import { join } from 'node:path';
import type { Home } from '../store/home.ts';
import { type GitHookRemoved, removeFrom } from './git-hook.ts';
import { ownSeat, SEATS, seatsIn } from './git-hook-look.ts';
import { exclusively } from './lock.ts';
import { readGitHooks, writeGitHooks } from './manifest.ts';

/** Callers hold the lock. Recorded before it is written: what is recorded and not there, is not there. */
export function recordGitHook(home: Home, folder: string): void {
  const known = readGitHooks(home);
  if (!known.includes(folder)) writeGitHooks(home, [...known, folder]);
}

/** Callers hold the lock. */
export function forgetGitHooks(home: Home, folders: readonly string[]): void {
  const known = readGitHooks(home);
  const left = known.filter((folder) => !folders.includes(folder));
  if (left.length < known.length) writeGitHooks(home, left);
}

/** Says what would be done to each hook, and does nothing. */
export function prepareGitHookRemovals(home: Home): GitHookRemoved[] {
  return readGitHooks(home).map((folder) => {
    const seats = seatsIn(folder);
    const seat = ownSeat(seats);
    const file = join(folder, SEATS[seat ?? 'hook']);
    const there = seats.kept.kind === 'none' ? 'deleted' : 'restored';
    return { file, state: seat === undefined ? 'absent' : there, left: undefined };
  });
}

/** Of every repository. The record goes last: whatever stops us before, the next run finds it. */
export async function removeGitHooks(home: Home): Promise<GitHookRemoved[]> {
  if (readGitHooks(home).length === 0) return [];
  return exclusively(home, () =>
    readGitHooks(home).map((folder) => {
      const removed = removeFrom(folder);
      forgetGitHooks(home, [folder]);
      return removed;
    }),
  );
}
