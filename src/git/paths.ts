/** Which files a working tree is made of, and what stands in them. */
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import { splitNul } from './diff.ts';
import { folderPaths } from './folder-tree.ts';
import type { Git } from './git.ts';
import type { ProjectPlace } from './project.ts';

/** Larger files are no manifests; nobody reads them as text. */
const MAX_TEXT_BYTES = 1_000_000;

/**
 * Every file that is tracked or could be (new ones that are not ignored), relative to the root and
 * `/`-separated, each once; without git every file.
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
  if (git === undefined) return folderPaths(root);
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  return [...new Set(splitNul(await git.text(args)))];
}

/** `undefined` if it is no plain file, is gone, or is too large. */
export function projectText(root: string, path: string): string | undefined {
  const file = join(root, path);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats?.isFile() && stats.size <= MAX_TEXT_BYTES ? readFileSync(file, 'utf8') : undefined;
}
