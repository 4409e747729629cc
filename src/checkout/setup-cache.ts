/**
 * A cache of the results of setup commands, by the hash of what they depend on. An entry is stored
 * completely or not at all, and restored into a worktree completely or not at all.
 */
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, normalize, sep } from 'node:path';
import * as z from 'zod/mini';
import { readJsonFile } from '../base/files/json-file.ts';
import { makePrivateFolder } from '../base/files/private-folder.ts';
import { lockFile, shortHash, whileFree, withLock } from '../base/process/with-lock.ts';
import {
  chmodFiles,
  copyFolder,
  digestOf,
  isTaken,
  linkFolder,
  syncFolder,
} from './copy-folder.ts';
import { adapt } from './installed.ts';

export interface SetupCache {
  /** `LANEHOLD_HOME/cache/setup` */
  readonly folder: string;
  readonly locks: string;
  readonly project: string;
  /** Files of its entries are hard-linked into all trees and are read-only; otherwise trees get copies. */
  readonly isShared?: boolean;
}

/** Number of entries for each project; the most recently used stay. */
const KEPT = 5;
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
const WAIT_MS = 600_000;

/** Puts a cached entry into the worktree. False if there is none, or its paths are taken. */
export async function restoreSetup(
  cache: SetupCache,
  key: string,
  worktree: string,
  now: Date,
): Promise<boolean> {
  if (!existsSync(entryOf(cache, key))) return false;
  return locked(cache, async () => {
    const entry = entryOf(cache, key);
    if (!existsSync(entry)) return false;
    const files = join(entry, 'files');
    const known = readJsonFile(join(entry, 'paths.json'), Known);
    if (typeof known === 'string' || known.digest !== digestIn(cache, files)) {
      // The entry was changed: the setup that runs now replaces it.
      rmSync(entry, { recursive: true, force: true });
      return false;
    }
    const { paths, root } = known;
    if (paths.some((path) => isTaken(worktree, path))) return false;
    // New files are first assembled there; no lane's key begins with a dot.
    const staging = join(dirname(worktree), `.${basename(worktree)}.setup`);
    rmSync(staging, { recursive: true, force: true });
    makePrivateFolder(staging);
    try {
      const all = paths.map((_, n) => [join(files, `${n}`), join(staging, `${n}`)] as const);
      if (!(await putAll(cache, all))) return false;
      for (const [n, path] of paths.entries()) {
        mkdirSync(dirname(join(worktree, path)), { recursive: true });
        renameSync(join(staging, String(n)), join(worktree, path));
        if (cache.isShared) adapt({ from: root, to: worktree }, path);
      }
      utimesSync(entry, now, now);
      return true;
    } finally {
      rmSync(staging, { recursive: true, force: true });
    }
  });
}

/** Stores the result of a setup; false if it could not be copied. */
export async function keepSetup(
  cache: SetupCache,
  key: string,
  worktree: string,
  { paths, now }: { readonly paths: readonly string[]; readonly now: Date },
): Promise<boolean> {
  const kept = await locked(cache, async () => {
    const entry = entryOf(cache, key);
    if (existsSync(entry)) return true;
    const next = join(dirname(entry), `.${randomUUID()}`);
    const files = join(next, 'files');
    makePrivateFolder(files);
    try {
      const made = paths.map((path, n) => [join(worktree, path), join(files, `${n}`)] as const);
      if (!(await putAll(cache, made))) return false;
      if (cache.isShared && !(await chmodFiles(files, 'a-w'))) return false;
      const known = { paths, root: worktree, digest: digestIn(cache, files) };
      writeFileSync(join(next, 'paths.json'), JSON.stringify(known), { mode: 0o600 });
      if (!(await syncFolder(next))) return false;
      renameSync(next, entry);
      utimesSync(entry, now, now);
    } finally {
      rmSync(next, { recursive: true, force: true });
    }
    removeOld(dirname(entry), entry);
    return true;
  });
  await pruneSetups(cache, now);
  return kept;
}

async function putAll(
  { isShared }: SetupCache,
  all: readonly (readonly [from: string, to: string])[],
): Promise<boolean> {
  const put = isShared ? linkFolder : copyFolder;
  for (const [from, to] of all) if (!(await put(from, to))) return false;
  return true;
}

/** A digest of files that trees share: their owner can make them writable again. Empty for others. */
const digestIn = ({ isShared }: SetupCache, files: string): string =>
  isShared ? digestOf(files) : '';

const entryOf = ({ folder, project }: SetupCache, key: string): string =>
  join(folder, shortHash(project), key);

function locked<T>({ locks, project }: SetupCache, work: () => Promise<T>): Promise<T> {
  const file = lockFile(locks, 'setup-cache', shortHash(project));
  return withLock(file, { waitMs: WAIT_MS, what: 'the cache of setups' }, work);
}

const Known = z.object({
  /** Only relative paths that stay in the worktree are accepted: other programs may have written the file. */
  paths: z.array(z.string().check(z.refine(isBelow))),
  /** The folder in which they were made. */
  root: z.string(),
  digest: z.string(),
});

function isBelow(path: string): boolean {
  if (path === '.' || isAbsolute(path)) return false;
  return normalize(path) === path && path.split(sep)[0] !== '..';
}

/** Removes old entries, and what a killed process left unfinished: the caller holds the lock. */
function removeOld(folder: string, newest: string): void {
  const others = entriesIn(folder).flatMap(({ path }) => (path === newest ? [] : path));
  const unfinished = readdirSync(folder).filter((name) => name.startsWith('.'));
  const paths = [...others.slice(KEPT - 1), ...unfinished.map((name) => join(folder, name))];
  for (const path of paths) removeEntry(path);
}

/** The most recently used first. */
function entriesIn(folder: string): { readonly path: string; readonly usedMs: number }[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .map((name) => ({ path: join(folder, name), usedMs: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.usedMs - a.usedMs);
}

function removeEntry(path: string): void {
  // The entry is renamed first, so that a slow deletion never leaves a partial entry.
  const trash = join(dirname(path), `.${randomUUID()}`);
  renameSync(path, trash);
  rmSync(trash, { recursive: true, force: true });
}

/** Removes entries of all projects that were not used for 30 days, except those of projects that are in use now. */
async function pruneSetups({ folder, locks }: SetupCache, now: Date): Promise<void> {
  for (const project of readdirSync(folder)) {
    const entries = entriesIn(join(folder, project));
    for (const { path } of entries.filter((it) => now.getTime() - it.usedMs > KEPT_MS)) {
      const remove = async () => existsSync(path) && removeEntry(path);
      await whileFree(lockFile(locks, 'setup-cache', project), remove);
    }
  }
}
