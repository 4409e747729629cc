/** A private index for a working tree whose own index must not change. */
import {
  copyFileSync,
  lstatSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf } from '../errors.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import type { Git } from './git.ts';
import { pathLines } from './paths.ts';

/** Where the private index comes from, in the order to try: each depends on less state. */
export const SEEDS = ['kept', 'copied', 'base'] as const;
export type Seed = (typeof SEEDS)[number];

export interface Seeding {
  /** Git directory of the working tree, with its own index. */
  readonly gitDir: string;
  /** Commit that the work started from; `undefined` before the first. */
  readonly base: string | undefined;
  /** As many zeros as an oid has digits. */
  readonly noOid: string;
  readonly denied: (path: string) => boolean;
}

export interface PrivateTree {
  /** Made with the same `indexFile`. */
  readonly git: Git;
  /** Root of the working tree; git runs there. */
  readonly root: string;
  /** Absolute, outside of the working tree, for this tree alone. */
  readonly indexFile: string;
}

/**
 * Brings the private index to what the working tree's own one tracks. Repeated whenever the working
 * tree's index was written, because an ignored file counts once it was added by force.
 */
export async function seedIndex(place: PrivateTree, seed: Seed, seeding: Seeding): Promise<void> {
  const own = join(seeding.gitDir, 'index');
  // Taken before the copy, so that a change during it makes the next call seed again.
  const source = JSON.stringify([seeding.base, stampOf(own)]);
  const note = `${place.indexFile}.source`;
  if (seed === 'kept' && stampOf(place.indexFile) !== undefined && readSource(note) === source)
    return;

  makePrivateFolder(dirname(place.indexFile));
  for (const file of [place.indexFile, `${place.indexFile}.lock`, note])
    rmSync(file, { force: true });
  if (seed !== 'base' && stampOf(own) !== undefined) copyIndex(own, place.indexFile);
  else await place.git.text([...INDEX_SETTINGS, 'read-tree', seeding.base ?? '--empty']);
  await unhideChanges(place, seeding);
  writeFileSync(note, source, { mode: 0o600 });
}

/**
 * The copy is dated a little before the original. git checks the content of files that are not older
 * than the index, and a file may have changed in the very moment in which the index was written.
 *
 * @see https://git-scm.com/docs/racy-git
 */
function copyIndex(own: string, copy: string): void {
  const written = Number(statSync(own, { bigint: true }).mtimeNs / 1000n - 1n) / 1_000_000;
  const next = `${copy}.next`;
  copyFileSync(own, next);
  utimesSync(next, written, written);
  renameSync(next, copy);
}

function stampOf(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.mtimeNs} ${stats.ctimeNs} ${stats.size} ${stats.ino}`;
}

function readSource(file: string): string | undefined {
  return stampOf(file) === undefined ? undefined : readFileSync(file, 'utf8');
}

/**
 * Clears the flags that hide changes from git, and gives denied paths the version of `base`, if it
 * has one, whether they were added or removed since.
 */
async function unhideChanges({ git, root }: PrivateTree, seeding: Seeding): Promise<void> {
  const { base, denied, noOid } = seeding;
  const [entries, inBase] = await Promise.all([
    git.bytes(['ls-files', '--stage', '-v', '-z']),
    base === undefined ? Buffer.alloc(0) : git.bytes(['ls-tree', '-r', '-z', '--full-tree', base]),
  ]);
  const wanted = new Map(
    records(inBase).flatMap(({ facts: [mode, , oid], path }) =>
      denied(utf8(path)) ? [[path, `${mode} ${oid}`]] : [],
    ),
  );
  const assumed: string[] = [];
  const skipped: string[] = [];
  const stray: string[] = [];
  for (const { facts, path } of records(entries)) {
    const [tag = '', mode = '', oid = ''] = facts;
    if (/[a-z]/.test(tag)) assumed.push(path);
    if (/[sS]/.test(tag) && statsOf(root, path) !== undefined) skipped.push(path);
    if (!denied(utf8(path))) continue;
    if (wanted.get(path) === `${mode} ${oid}` && facts[3] === '0') wanted.delete(path);
    else stray.push(path);
  }
  await updateIndex(git, ['--no-assume-unchanged', '--stdin'], assumed);
  await updateIndex(git, ['--no-skip-worktree', '--stdin'], skipped);
  const removed = stray.map((path) => `0 ${noOid}\t${path}`);
  const restored = [...wanted].map(([path, version]) => `${version}\t${path}`);
  await updateIndex(git, ['--index-info'], [...removed, ...restored]);
}

/** Paths are one character a byte. */
const records = (listing: Buffer) =>
  Array.from(pathLines(listing.toString('latin1')), ({ facts, path }) => ({
    facts: facts.split(' '),
    path,
  }));

/** @param path one character a byte. */
export const utf8 = (path: string): string => Buffer.from(path, 'latin1').toString('utf8');

/** The whole index in one file; the untracked cache only helps repeated `git status`. */
const INDEX_SETTINGS = [...'-c core.splitIndex=false -c core.untrackedCache=false'.split(' ')];

/** @param lines what goes to its input, one character a byte. */
export async function updateIndex(
  git: Git,
  args: readonly string[],
  lines: readonly string[],
): Promise<void> {
  if (lines.length === 0) return;
  const input = Buffer.from(lines.map((line) => `${line}\0`).join(''), 'latin1');
  await git.bytes([...INDEX_SETTINGS, 'update-index', '-z', ...args], input);
}

/** @param path one character a byte. */
export const fileOf = (root: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);

/** @param path one character a byte. */
export function statsOf(root: string, path: string): Stats | undefined {
  try {
    return lstatSync(fileOf(root, path), { throwIfNoEntry: false });
  } catch (error) {
    // A file stands where a folder was.
    if (codeOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
