/** Puts our `pre-push` hook before the one that is there, and that one back. */
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf } from '../errors.ts';
import { explainAccess, writeTarget } from './files.ts';
import { type Entry, ownSeat, SEATS, type Seats, seatsIn } from './git-hook-look.ts';
import { gitHookText, madeFoldersIn } from './git-hook-text.ts';
import type { HookFolder } from './hook-folder.ts';
import type { Runtime } from './hook-shim.ts';

const EXECUTABLE = 0o755;

export interface GitHookInstalled {
  /** `repaired`: it was there before, and something had been put in its place. */
  readonly state: 'new' | 'current' | 'upgrade' | 'repaired';
  readonly file: string;
  /** A hook that had been kept, and is neither the one that runs first now nor generated anew. */
  readonly setAside: string | undefined;
}

/** Callers hold the lock. @throws {FileAccessError} with what was there still in its place. */
export function installGitHook({ folder }: HookFolder, runtime: Runtime): GitHookInstalled {
  const made = makeFolder(folder);
  const seats = seatsIn(folder);
  const seat = ownSeat(seats) ?? 'hook';
  const file = join(folder, SEATS[seat]);
  const { [seat]: present } = seats;
  if (present.kind === 'ours') {
    const text = gitHookText(runtime, madeFoldersIn(present.text));
    const isCurrent = text === present.text && isExecutable(file);
    if (!isCurrent) writeTarget(file, text, EXECUTABLE);
    return { state: isCurrent ? 'current' : 'upgrade', file, setAside: undefined };
  }
  const wasThere = seats.kept.kind !== 'none' || seats.old.kind === 'ours';
  const setAside = present.kind === 'other' ? keep(folder, seats) : undefined;
  writeTarget(file, gitHookText(runtime, made), EXECUTABLE);
  // lefthook would not install again over what it has moved there itself.
  if (seats.old.kind === 'ours') rmSync(join(folder, SEATS.old), { force: true });
  return { state: wasThere ? 'repaired' : 'new', file, setAside };
}

function isExecutable(file: string): boolean {
  return (lstatSync(file).mode & 0o111) !== 0;
}

/**
 * How many folders had to be made.
 *
 * Node's own `recursive` never returns where the parent exists and takes no folders (`/proc`).
 */
function makeFolder(folder: string): number {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return 0;
  const made = dirname(folder) === folder ? 0 : makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
    return made + 1;
  } catch (error) {
    throw explainAccess(`cannot make ${folder}`, error);
  }
}

/**
 * The hook that git starts becomes the one that is kept, and is still in its place. One that was
 * kept already is replaced if the same program has made both; else it is set aside.
 *
 * @returns where that one went.
 */
function keep(folder: string, { hook, kept }: Seats): string | undefined {
  const [from, to] = [join(folder, SEATS.hook), join(folder, SEATS.kept)];
  try {
    const aside = kept.kind === 'none' || isSame(hook, kept) ? undefined : freeName(to);
    if (aside !== undefined) renameSync(to, aside);
    rmSync(to, { force: true });
    duplicate(from, to);
    return aside;
  } catch (error) {
    throw explainAccess(`cannot write ${to}`, error);
  }
}

function isSame(one: Entry, other: Entry): boolean {
  if (one.kind !== 'other' || other.kind !== 'other') return other.kind === 'ours';
  return one.text === other.text || (one.manager !== undefined && one.manager === other.manager);
}

function freeName(path: string): string {
  for (let number = 1; ; number += 1) {
    const name = `${path}.${number}`;
    if (!lstatSync(name, { throwIfNoEntry: false })) return name;
  }
}

/** A second name for the same file: nothing of it can change, and no moment is without a hook. */
function duplicate(from: string, to: string): void {
  if (lstatSync(from).isSymbolicLink()) {
    symlinkSync(readlinkSync(from), to);
    return;
  }
  try {
    linkSync(from, to);
  } catch (error) {
    // Not every file system knows hard links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(codeOf(error)))
      throw error;
    renameSync(from, to);
  }
}

export interface GitHookRemoved {
  /** `restored`: what was there before is there again. `deleted`: there was nothing before. */
  readonly state: 'restored' | 'deleted' | 'absent';
  readonly file: string;
  /** A kept hook that was left where it is, because something else has taken its place. */
  readonly left: string | undefined;
}

/** Both where git looks, and where it looked before. Callers hold the lock. */
export function removeGitHook({ folder, ownFolder }: HookFolder): GitHookRemoved[] {
  const folders = [...new Set([folder, ownFolder])];
  const removed = folders.map(removeFrom);
  const changed = removed.filter(({ state, left }) => state !== 'absent' || left !== undefined);
  return changed.length > 0 ? changed : removed.slice(0, 1);
}

/** Callers hold the lock. */
export function removeFrom(folder: string): GitHookRemoved {
  const seats = seatsIn(folder);
  const seat = ownSeat(seats);
  const file = join(folder, SEATS[seat ?? 'hook']);
  const kept = join(folder, SEATS.kept);
  try {
    for (const moved of ['old', 'legacy'] as const) {
      if (seats[moved].kind === 'ours' && seat !== moved) rmSync(join(folder, SEATS[moved]));
    }
    if (seat === undefined && seats.hook.kind === 'other') return leave(seats, file, kept);
    // Behind pre-commit's hook, the same hook must not come back as the one that it starts.
    const isItself = seat === 'legacy' && isSame(seats.hook, seats.kept);
    if (seats.kept.kind !== 'none' && !isItself) {
      renameSync(kept, file);
      return { state: 'restored', file, left: undefined };
    }
    if (seat === undefined) return { state: 'absent', file, left: undefined };
    rmSync(kept, { force: true });
    rmSync(file, { force: true });
    const { [seat]: ours } = seats;
    removeFolders(folder, madeFoldersIn(ours.kind === 'ours' ? ours.text : ''));
    return { state: 'deleted', file, left: undefined };
  } catch (error) {
    throw explainAccess(`cannot write ${file}`, error);
  }
}

/** Somebody else's hook stands in our place: it stays, and what we had kept is theirs to judge. */
function leave(seats: Seats, file: string, kept: string): GitHookRemoved {
  if (seats.kept.kind === 'none') return { state: 'absent', file, left: undefined };
  if (!isSame(seats.hook, seats.kept)) return { state: 'absent', file, left: kept };
  rmSync(kept, { force: true });
  return { state: 'absent', file, left: undefined };
}

function removeFolders(folder: string, count: number): void {
  try {
    for (let at = folder, left = count; left > 0; at = dirname(at), left -= 1) rmdirSync(at);
  } catch (error) {
    // What has come into it since is somebody's.
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
  }
}
