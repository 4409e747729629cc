/** The files that a project is made of, with or without git. */
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { codeOf, UsageError } from '../errors.ts';
import type { Git } from './git.ts';
import { listedBy, pathLines, splitNul } from './paths.ts';
import type { ProjectPlace } from './project.ts';
import { blobId, type TreeEntry, type TreePaths } from './tree-entry.ts';

/** The largest text that is read: no manifest is that large. */
const MAX_TEXT_BYTES = 1_000_000;

/**
 * Every file that is tracked or could be (new ones that are not ignored), relative to the root and
 * `/`-separated, each once; without git every file in a folder that may be read.
 *
 * @throws {UsageError} in a bare repository, which has no working tree.
 */
export async function projectPaths(
  git: Git | undefined,
  { root, kind }: ProjectPlace,
): Promise<string[]> {
  if (kind === 'bare') {
    throw new UsageError('a bare repository has no working tree', { hint: 'use a clone of it' });
  }
  if (git === undefined) return [...walk(root, '', ['EACCES', ...GONE])].map(({ path }) => path);
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  return [...new Set(await listedBy(git, args))];
}

export interface ListedFile {
  readonly path: string;
  /** `undefined` if the content has to be read: the file is new, or was changed. */
  readonly oid: string | undefined;
}

/** The files without links and submodules, with the content that git's index knows. */
export async function listedFiles(git: Git): Promise<ListedFile[]> {
  const [staged, others] = await Promise.all([
    git.text(['ls-files', '-z', '--stage']),
    git.text(['ls-files', '-z', '--modified', '--others', '--exclude-standard']),
  ]);
  const files = new Map<string, string | undefined>();
  for (const { facts, path } of pathLines(staged)) {
    const [mode = '', oid] = facts.split(' ');
    if (mode.startsWith('100')) files.set(path, oid);
  }
  for (const path of splitNul(others)) files.set(path, undefined);
  return [...files].map(([path, oid]) => ({ path, oid }));
}

/** The text; `undefined` if it is no plain file, is gone, or is too large. */
export function projectText(root: string, path: string, most = MAX_TEXT_BYTES): string | undefined {
  const file = join(root, path);
  return unlessGone(() => {
    const stats = lstatSync(file);
    return stats.isFile() && stats.size <= most ? readFileSync(file, 'utf8') : undefined;
  });
}

/** Paths of the submodules that a tree names, with or without content there. */
export const submodulesOf = (root: string): string[] =>
  [
    ...(projectText(root, '.gitmodules') ?? '').matchAll(
      /^[ \t]*path[ \t]*=[ \t]*(\S.*?)[ \t\r]*$/gm,
    ),
  ].map(([, path = '']) => path);

/** Generated folders: without git there is no list of what to ignore. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', '__pycache__']);

/** The content of a folder without git, in the same shape as a git tree. */
export async function folderTree(root: string, scope: TreePaths): Promise<TreeEntry[]> {
  const found = scope.flatMap((base) => [...walk(root, base)]);
  return found.flatMap(({ path, stats }) => {
    const file = join(root, path);
    const content = unlessGone(() =>
      stats.isSymbolicLink() ? Buffer.from(readlinkSync(file)) : readFileSync(file),
    );
    return content === undefined ? [] : [{ mode: gitMode(stats), path, oid: blobId(content) }];
  });
}

const GONE: readonly string[] = ['ENOENT', 'ENOTDIR'];

/** The result of `read`; `undefined` for a file that is removed while the folder is read, as programs do. */
function unlessGone<T>(read: () => T, gone: readonly string[] = GONE): T | undefined {
  try {
    return read();
  } catch (error) {
    if (gone.includes(codeOf(error))) return undefined;
    throw error;
  }
}

function gitMode(stats: Stats): string {
  if (stats.isSymbolicLink()) return '120000';
  return (stats.mode & 0o100) === 0 ? '100644' : '100755';
}

/** @param left the errors of folders that are left out. */
function* walk(root: string, path: string, left = GONE): Generator<{ path: string; stats: Stats }> {
  const stats = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isFile() || stats.isSymbolicLink()) yield { path, stats };
  if (!stats.isDirectory()) return;
  for (const name of unlessGone(() => readdirSync(join(root, path)).sort(), left) ?? []) {
    if (!SKIPPED.has(name)) yield* walk(root, path === '' ? name : `${path}/${name}`, left);
  }
}
