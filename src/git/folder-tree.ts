/** The content of a folder without git, in the same shape as a git tree. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { TreeEntry } from './tree.ts';

/** Folders that are made, not written. Without git there is no list of what to ignore. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', '__pycache__']);

/** @param scope folders or files to list, relative to `root`; `['']` is everything. */
export async function folderTree(root: string, scope: readonly string[]): Promise<TreeEntry[]> {
  return scope.flatMap((base) => [...walk(root, base)].map((found) => entry(root, found)));
}

/** Every file and link of a folder, without reading them. */
export function folderPaths(root: string): string[] {
  return [...walk(root, '')].map(({ path }) => path);
}

interface Found {
  readonly path: string;
  readonly stats: Stats;
}

function* walk(root: string, path: string): Generator<Found> {
  const stats = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isFile() || stats.isSymbolicLink()) yield { path, stats };
  if (!stats.isDirectory()) return;
  for (const name of readdirSync(join(root, path)).sort()) {
    if (!SKIPPED.has(name)) yield* walk(root, path === '' ? name : `${path}/${name}`);
  }
}

function entry(root: string, { path, stats }: Found): TreeEntry {
  const file = join(root, path);
  if (stats.isSymbolicLink()) {
    return { mode: '120000', path, oid: blobId(Buffer.from(readlinkSync(file))) };
  }
  const mode = (stats.mode & 0o100) === 0 ? '100644' : '100755';
  return { mode, path, oid: blobId(readFileSync(file)) };
}

/** git's own id, so that a folder that becomes a repository keeps its fingerprints. */
function blobId(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
