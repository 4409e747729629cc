/**
 * A cache of what setup commands made, by the hash of what it depends on. An entry is stored as a
 * whole or not at all, and restored into a worktree as a whole or not at all.
 */
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  lstatSync,
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
import { readJsonFile } from '../../files/json-file.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { run } from '../../process/run.ts';
import { linkOnTheWay } from './place.ts';
import { shortHash, withLock } from './with-lock.ts';

export interface SetupCache {
  /** `LANEHOLD_HOME/cache/setup` */
  readonly folder: string;
  /** Folder of lock files. */
  readonly locks: string;
  /** Identity of the project. */
  readonly project: string;
}

/** Number of entries for each project; the most recently used stay. */
const KEPT = 5;
const WAIT_MS = 600_000;

/** A folder in which new files of a worktree are assembled; no lane's key begins with a dot. */
const stagingOf = (worktree: string): string =>
  join(dirname(worktree), `.${basename(worktree)}.setup`);

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
    const paths = readJsonFile(join(entry, 'paths.json'), Paths);
    if (typeof paths === 'string') {
      // Not written by this program: the setup that runs now replaces it.
      rmSync(entry, { recursive: true, force: true });
      return false;
    }
    if (paths.some((path) => isTaken(worktree, path))) return false;
    const staging = stagingOf(worktree);
    rmSync(staging, { recursive: true, force: true });
    try {
      if (!(await copyFolder(join(entry, 'files'), staging))) return false;
      for (const [n, path] of paths.entries()) {
        mkdirSync(dirname(join(worktree, path)), { recursive: true });
        renameSync(join(staging, String(n)), join(worktree, path));
      }
      utimesSync(entry, now, now);
      return true;
    } finally {
      rmSync(staging, { recursive: true, force: true });
    }
  });
}

/** Stores what a setup made. False if it could not be copied. */
export async function keepSetup(
  cache: SetupCache,
  key: string,
  worktree: string,
  { paths, now }: { readonly paths: readonly string[]; readonly now: Date },
): Promise<boolean> {
  return locked(cache, async () => {
    const entry = entryOf(cache, key);
    if (existsSync(entry)) return true;
    const next = join(dirname(entry), `.${randomUUID()}`);
    makePrivateFolder(join(next, 'files'));
    try {
      for (const [n, path] of paths.entries()) {
        const to = join(next, 'files', String(n));
        if (!(await copyFolder(join(worktree, path), to))) return false;
      }
      writeFileSync(join(next, 'paths.json'), JSON.stringify(paths), { mode: 0o600 });
      if (!(await syncFolder(next))) return false;
      renameSync(next, entry);
      utimesSync(entry, now, now);
    } finally {
      rmSync(next, { recursive: true, force: true });
    }
    removeOld(dirname(entry), entry);
    return true;
  });
}

function entryOf({ folder, project }: SetupCache, key: string): string {
  return join(folder, shortHash(project), key);
}

function locked<T>({ locks, project }: SetupCache, work: () => Promise<T>): Promise<T> {
  const wish = { locks, kind: 'setup-cache', identity: project, waitMs: WAIT_MS } as const;
  return withLock({ ...wish, what: 'the cache of setups' }, work);
}

/** Only relative paths that stay in the worktree: other programs may have written the file. */
const Path = z.string().check(z.refine((path) => normalize(path) === path && isBelow(path)));
const Paths = z.array(Path);

function isBelow(path: string): boolean {
  return path !== '.' && !isAbsolute(path) && path.split(sep)[0] !== '..';
}

/** Whether the path exists, or leads through something that is no folder. */
function isTaken(worktree: string, path: string): boolean {
  const file = join(worktree, path);
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return true;
  return linkOnTheWay(worktree, dirname(file)) !== undefined;
}

/** Also removes what a killed process left unfinished: the caller holds the lock. */
function removeOld(folder: string, newest: string): void {
  const names = readdirSync(folder);
  const entries = names
    .filter((name) => !name.startsWith('.') && join(folder, name) !== newest)
    .map((name) => ({ name, used: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.used - a.used);
  const old = entries.slice(KEPT - 1).map(({ name }) => name);
  for (const name of [...old, ...names.filter((it) => it.startsWith('.'))]) {
    // Renamed first, so that a slow deletion never leaves a partial entry.
    const trash = join(folder, `.${randomUUID()}`);
    renameSync(join(folder, name), trash);
    rmSync(trash, { recursive: true, force: true });
  }
}

const COPY_MS = 600_000;

/**
 * Copies a file or a folder with links as links, by reflink where the file system has it. Uses the
 * system's `cp`, since there may be a hundred thousand files.
 *
 * @returns whether everything was copied.
 */
async function copyFolder(from: string, to: string): Promise<boolean> {
  const options =
    process.platform === 'darwin' ? ['-c', '-R', '-P', '-p'] : ['-a', '--reflink=auto'];
  return succeeds('cp', [...options, '--', from, to]);
}

/** Waits until the written data is on the disk. */
async function syncFolder(folder: string): Promise<boolean> {
  return succeeds('sync', process.platform === 'linux' ? ['-f', folder] : []);
}

/** Whether one of the paths contains a link with an absolute path into the folder. */
export async function hasLinkInto(folder: string, paths: readonly string[]): Promise<boolean> {
  const pattern = folder.replaceAll(/[\\*?[\]]/g, '\\$&');
  const links = ['-type', 'l', '(', '-lname', pattern, '-o', '-lname', `${pattern}/*`, ')'];
  const args = [...paths.map((path) => `./${path}`), ...links, '-print', '-quit'];
  const outcome = await run('find', args, { cwd: folder, env: ENVIRONMENT, timeoutMs: COPY_MS });
  // If the search failed, assume that there is one.
  return outcome.kind === 'failed' || outcome.exitCode !== 0 || outcome.stdout.length > 0;
}

const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };

async function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  const options = { cwd: '/', env: ENVIRONMENT, timeoutMs: COPY_MS };
  const outcome = await run(program, args, options);
  return outcome.kind === 'exited' && outcome.exitCode === 0;
}
