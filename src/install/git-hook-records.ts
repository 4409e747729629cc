/** The repositories that have our git hook, so that `uninstall` can remove it from all of them. */
import { join } from 'node:path';
import type { Home } from '../store/home.ts';
import { type GitHookRemoved, removeFrom } from './git-hook.ts';
import { HOOK_FILES, hookFilesIn, ownHookFile } from './git-hook-state.ts';
import { exclusively } from './lock.ts';
import { readGitHooks, writeGitHooks } from './manifest.ts';

/** Callers hold the lock, and write the hook afterwards: a record without a hook does no harm. */
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
    const files = hookFilesIn(folder);
    const own = ownHookFile(files);
    const file = join(folder, HOOK_FILES[own ?? 'hook']);
    const there = files.previous.kind === 'none' ? 'deleted' : 'restored';
    return { file, state: own === undefined ? 'absent' : there, left: undefined };
  });
}

/** In every repository. The record goes last, so that the next run finds what this one left. */
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
