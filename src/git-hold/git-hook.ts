/** Installs lanehold's `pre-push` hook in front of the previous one, and restores the previous one. */
import { lstatSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Runtime } from '../agents/kit/hook-shim.ts';
import { attempt, ExplainedError } from '../base/errors.ts';
import { isExecutable } from '../base/files/executable.ts';
import type { Home } from '../base/files/home.ts';
import { makeFolders } from '../base/files/private-folder.ts';
import { explainAccess, writeTarget } from '../base/files/user-files.ts';
import { cloneId, giveCloneId } from '../base/git/clone-id.ts';
import { changeManifest, exclusively, installManifest } from '../install/manifest.ts';
import {
  gitHookText,
  HOOK_FILES,
  type HookFile,
  type HookFiles,
  hookFilesIn,
  ownHookFile,
} from './git-hook-state.ts';
import type { HookFolder } from './hook-folder.ts';
import { addHuskyLines, hasHuskyLines, huskyFile, removeHuskyLines } from './husky-line.ts';

const EXECUTABLE = 0o755;

export interface GitHookInstalled {
  /** `repaired`: it was there before, and something had been put in its place. */
  readonly state: 'new' | 'current' | 'upgrade' | 'repaired';
  readonly file: string;
  /** The new path of an earlier previous hook that no longer runs and is not generated again. */
  readonly setAside: string | undefined;
}

/** @throws {ExplainedError} ; the earlier hook is then still in its place. */
export function installGitHook(
  home: Home,
  place: HookFolder,
  runtime: Runtime,
): Promise<GitHookInstalled> {
  const { folder } = place;
  return recorded(home, folder, place, () => writeGitHook(folder, runtime));
}

export function installHuskyLines(home: Home, place: HookFolder, file: string): Promise<void> {
  return recorded(home, dirname(file), place, () => addHuskyLines(file, place));
}

/** The hook is recorded first, so that `uninstall` finds it even if this process ends; a failure removes the record. */
function recorded<T>(
  home: Home,
  folder: string,
  { place: { identity } }: HookFolder,
  write: () => T,
): Promise<T> {
  return exclusively(home, () => {
    const { gitHooks, gitHookClones = [], removedGitHooks } = installManifest(home);
    const clone = cloneId(identity) ?? giveCloneId(identity, 'nothing');
    const others = gitHookClones.filter((it) => it.folder !== folder);
    changeManifest(home, {
      gitHookClones: clone === undefined ? others : [...others, { folder, clone }],
      gitHooks: [...new Set([...gitHooks, folder])],
      removedGitHooks: removedGitHooks.filter((it) => it !== folder),
    });
    try {
      return write();
    } catch (error) {
      changeManifest(home, { gitHooks, gitHookClones, removedGitHooks });
      throw error;
    }
  });
}

function writeGitHook(folder: string, runtime: Runtime): GitHookInstalled {
  makeFolder(folder);
  const files = hookFilesIn(folder);
  const own = ownHookFile(files) ?? 'hook';
  const file = join(folder, HOOK_FILES[own]);
  const { [own]: present } = files;
  if (present.kind === 'ours') {
    const text = gitHookText(runtime);
    const isCurrent = text === present.text && isExecutable(file);
    if (!isCurrent) writeTarget(file, text, EXECUTABLE);
    return { state: isCurrent ? 'current' : 'upgrade', file, setAside: undefined };
  }
  const wasThere = files.previous.kind !== 'none' || files.old.kind === 'ours';
  const setAside = present.kind === 'other' ? keepAsPrevious(folder, files) : undefined;
  try {
    writeTarget(file, gitHookText(runtime), EXECUTABLE);
  } catch (error) {
    if (present.kind === 'other') renameSync(join(folder, HOOK_FILES.previous), file);
    removeEmptyFolders(folder);
    throw error;
  }
  // lefthook does not install over a file that it has moved there.
  if (files.old.kind === 'ours') rmSync(join(folder, HOOK_FILES.old), { force: true });
  return { state: wasThere ? 'repaired' : 'new', file, setAside };
}

function makeFolder(folder: string): void {
  if (dirname(folder) === folder) {
    throw new ExplainedError('core.hooksPath is empty, so git starts no hook here', {
      hint: 'see where it is set: `git config --show-origin core.hooksPath`, then unset it there',
    });
  }
  try {
    makeFolders(folder);
  } catch (error) {
    throw explainAccess(`cannot make ${folder}`, error);
  }
}

/**
 * Makes the present hook the previous one. An earlier previous hook is replaced if the same program
 * has made both, else it gets a new name.
 *
 * @returns the new path of the earlier one.
 */
function keepAsPrevious(folder: string, { hook, previous }: HookFiles): string | undefined {
  const [from, to] = [join(folder, HOOK_FILES.hook), join(folder, HOOK_FILES.previous)];
  try {
    const aside = previous.kind === 'none' || isSame(hook, previous) ? undefined : freeName(to);
    if (aside !== undefined) renameSync(to, aside);
    renameSync(from, to);
    return aside;
  } catch (error) {
    throw explainAccess(`cannot write ${to}`, error);
  }
}

function isSame(one: HookFile, other: HookFile): boolean {
  if (one.kind !== 'other' || other.kind !== 'other') return other.kind === 'ours';
  return one.text === other.text || (one.manager !== undefined && one.manager === other.manager);
}

function freeName(path: string): string {
  for (let number = 1; ; number += 1) {
    const name = `${path}.${number}`;
    if (!lstatSync(name, { throwIfNoEntry: false })) return name;
  }
}

export interface GitHookRemoved {
  /**
   * `restored`: the earlier hook is back. `deleted`: there was none before. `cleaned`: the lines of
   * lanehold are removed from a file of the project.
   */
  readonly state: 'restored' | 'deleted' | 'cleaned' | 'absent';
  readonly file: string;
  /** Path of a previous hook that was not put back, because another program's hook is in its place. */
  readonly left: string | undefined;
}

/** Removes the hook from the folder that git uses, and the one it used before. It is not reinstalled on its own. */
export function removeGitHook(home: Home, place: HookFolder): Promise<GitHookRemoved[]> {
  const husky = huskyFile(place);
  return exclusively(home, () => {
    const ofProject = husky === undefined ? [] : [dirname(husky)];
    const folders = [...new Set([place.folder, place.ownFolder, ...ofProject])];
    const removed = folders.map(removeFrom);
    const { gitHooks, removedGitHooks } = installManifest(home);
    changeManifest(home, {
      gitHooks: gitHooks.filter((it) => !folders.includes(it)),
      removedGitHooks: [...new Set([...removedGitHooks, ...folders])],
    });
    const changed = removed.filter(({ state, left }) => state !== 'absent' || left !== undefined);
    return changed.length > 0 ? changed : removed.slice(0, 1);
  });
}

/** Callers hold the lock. */
function removeFrom(folder: string): GitHookRemoved {
  const files = hookFilesIn(folder);
  const own = ownHookFile(files);
  const file = join(folder, HOOK_FILES[own ?? 'hook']);
  const previous = join(folder, HOOK_FILES.previous);
  try {
    if (hasHuskyLines(file)) return { state: removeHuskyLines(file), file, left: undefined };
    for (const moved of ['old', 'legacy'] as const) {
      if (files[moved].kind === 'ours' && own !== moved) rmSync(join(folder, HOOK_FILES[moved]));
    }
    if (own === undefined && files.hook.kind === 'other') return leave(files, file, previous);
    // pre-commit must not start its own hook as the one after it.
    const isItself = own === 'legacy' && isSame(files.hook, files.previous);
    if (files.previous.kind !== 'none' && !isItself) {
      renameSync(previous, file);
      return { state: 'restored', file, left: undefined };
    }
    if (own === undefined) return { state: 'absent', file, left: undefined };
    rmSync(previous, { force: true });
    rmSync(file, { force: true });
    removeEmptyFolders(folder);
    return { state: 'deleted', file, left: undefined };
  } catch (error) {
    throw explainAccess(`cannot write ${file}`, error);
  }
}

/** Another program's hook is in the place of lanehold's: it stays, and so does a different previous hook. */
function leave(files: HookFiles, file: string, previous: string): GitHookRemoved {
  if (files.previous.kind === 'none') return { state: 'absent', file, left: undefined };
  if (!isSame(files.hook, files.previous)) return { state: 'absent', file, left: previous };
  rmSync(previous, { force: true });
  return { state: 'absent', file, left: undefined };
}

/** Removes empty folders. Git's own stays; another one without a file was made for the hook. */
function removeEmptyFolders(folder: string): void {
  if (folder.endsWith('/.git/hooks')) return;
  attempt(() => {
    for (let at = folder; ; at = dirname(at)) rmdirSync(at);
  });
}

/** Describes what a removal would do to each hook, and changes nothing. */
export function prepareGitHookRemovals(folders: readonly string[]): GitHookRemoved[] {
  return folders.map((folder) => {
    const files = hookFilesIn(folder);
    const own = ownHookFile(files);
    const file = join(folder, HOOK_FILES[own ?? 'hook']);
    const there = files.previous.kind === 'none' ? 'deleted' : 'restored';
    const state = own === undefined ? (hasHuskyLines(file) ? 'cleaned' : 'absent') : there;
    return { file, state, left: undefined };
  });
}

/** The record is removed last, so that the next run finds what this one left. */
export async function removeGitHooks(
  home: Home,
  folders: readonly string[],
): Promise<GitHookRemoved[]> {
  if (folders.length === 0) return [];
  return exclusively(home, () =>
    folders.map((folder) => {
      const removed = removeFrom(folder);
      const { gitHooks } = installManifest(home);
      changeManifest(home, { gitHooks: gitHooks.filter((it) => it !== folder) });
      return removed;
    }),
  );
}
