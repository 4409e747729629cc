/**
 * Updates the index over source files and commits from a working tree. Only changed files are read; after each step the
 * index is correct for the files that it contains, so it may end anywhere.
 */
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { attempt } from '../../base/errors.ts';
import type { Git } from '../../base/git/git.ts';
import { commitsOf, recentCommits } from '../../base/git/history.ts';
import { type ListedFile, listedFiles } from '../../base/git/project-files.ts';
import { blobId } from '../../base/git/tree-entry.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { codeStore } from '../../store/code-index.ts';
import type { Store } from '../../store/open.ts';
import { indexed } from '../words.ts';
import { isIndexable, isReadable, LARGEST_BYTES } from './indexable.ts';
import { piecesOf } from './pieces.ts';

/** Increased when the words of a file are computed in another way: all files are then read again. */
const VERSION = 2;

const MOST_FILES = 50_000;
export const MOST_COMMITS = 5_000;
/** The files, or commits, in one transaction, which is the longest that hooks have to wait. */
const BATCH = 25;
const COMMIT_BATCH = 200;
/** A pause between two transactions, in which other processes can write. */
const BREATH_MS = 1;

export interface IndexTarget {
  readonly git: Git;
  readonly root: string;
  readonly store: Store;
  readonly projectId: number;
  /** @param path relative to the root. */
  readonly ignores: (path: string) => boolean;
}

export type IndexReport = Awaited<ReturnType<typeof indexProject>>;
type Progress = (line: string) => void;

export async function indexProject(target: IndexTarget, progress: Progress = () => undefined) {
  return { ...(await indexFiles(target, progress)), ...(await indexCommits(target, progress)) };
}

async function indexFiles(
  { git, root, store, projectId, ignores }: IndexTarget,
  progress: Progress,
) {
  const code = codeStore(store);
  const all = (await listedFiles(git)).filter((it) => it.oid !== undefined || isFile(root, it));
  const wanted = all.filter(({ path }) => isIndexable(path) && !ignores(path));
  const listed = wanted.slice(0, MOST_FILES);
  const known = new Map(code.blobs(projectId).map((it) => [it.path, it.blob]));
  const present = new Set(listed.map(({ path }) => path));
  const gone = [...known.keys()].filter((path) => !present.has(path));
  for await (const some of batches(gone, BATCH))
    store.write(() => some.forEach((path) => void code.dropFile(projectId, path)));
  const isNew = ({ path, oid }: ListedFile) =>
    oid === undefined || known.get(path) !== version(oid);
  const candidates = listed.filter(isNew);
  let read = 0;
  for await (const some of batches(candidates, BATCH, progress, 'changed files')) {
    const contents = some.flatMap((file) => readFile(root, file, known) ?? []);
    if (contents.length === 0) continue;
    store.write(() => {
      for (const { path, blob, pieces } of contents)
        code.putFile({ projectId, path, blob, uid: null }, pieces);
    });
    read += contents.length;
  }
  const files = code.paths(projectId).length;
  return {
    files,
    read,
    removed: gone.length,
    /** The number of files that are secret, binary, generated or too large. */
    skipped: Math.max(0, all.length - (wanted.length - listed.length) - files),
    /** The number of files beyond the most that are indexed. */
    leftOut: wanted.length - listed.length,
  };
}

const isFile = (root: string, { path }: ListedFile): boolean =>
  lstatSync(join(root, path), { throwIfNoEntry: false })?.isFile() === true;

/** `undefined` if the index has this content, or the file is gone. */
function readFile(root: string, { path }: ListedFile, known: ReadonlyMap<string, string>) {
  const file = join(root, path);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile()) return undefined;
  const content = stats.size > LARGEST_BYTES ? undefined : attempt(() => readFileSync(file));
  const blob = version(content === undefined ? `large ${stats.size}` : blobId(content));
  if (known.get(path) === blob) return undefined;
  if (content === undefined || !isReadable(content)) return { path, blob, pieces: [] };
  const text = redact(content.toString('utf8'));
  return { path, blob, pieces: piecesOf(path, text) };
}

const version = (oid: string): string => `${VERSION}:${oid}`;

async function indexCommits({ git, store, projectId, ignores }: IndexTarget, progress: Progress) {
  const code = codeStore(store);
  const recent = await recentCommits(git, MOST_COMMITS);
  const present = new Set(recent);
  const known = new Set(code.oids(projectId));
  const gone = [...known].filter((oid) => !present.has(oid));
  for await (const some of batches(gone, COMMIT_BATCH))
    store.write(() => some.forEach((oid) => void code.dropCommit(projectId, oid)));
  const added = recent.filter((oid) => !known.has(oid));
  for await (const some of batches(added, COMMIT_BATCH, progress, 'new commits')) {
    const commits = await commitsOf(git, some);
    store.write(() => {
      for (const { oid, at, author, subject, body, files } of commits) {
        const title = redact(subject);
        const words = { title: indexed(title), body: indexed(redact(withoutTrailers(body))) };
        const seen = files.filter((path) => isIndexable(path) && !ignores(path));
        code.putCommit({ projectId, oid, at, files: seen, title, author: redact(author) }, words);
      }
    });
  }
  return { commits: recent.length, newCommits: added.length };
}

/** The message without trailers, because names of people are no subject of a commit. */
const withoutTrailers = (body: string): string =>
  body.replaceAll(/^[A-Z][\w-]*-(?:by|to|from|id): .*$/gim, '');

const PROGRESS_EACH = 250;

async function* batches<T>(
  all: readonly T[],
  size: number,
  progress: Progress = () => undefined,
  what = '',
) {
  for (let at = 0; at < all.length; at += size) {
    yield all.slice(at, at + size);
    const done = at + size;
    if (done % PROGRESS_EACH < size) progress(`${done} of ${all.length} ${what} read`);
    await pause(BREATH_MS);
  }
}
