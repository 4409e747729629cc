/** The content of a folder without git, in the same shape as a git tree. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { TreeEntry } from './tree.ts';

/** Folders that are made, not written. Without git there is no list of what to ignore. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', '__pycache__']);

/** @param scope folders or files to list, relative to `root`; `['']` is everything. */
export async function folderTree(root: string, scope: readonly string[]): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  for (const base of scope) collect(root, base, entries);
  return entries;
}

function collect(root: string, path: string, into: TreeEntry[]): void {
  const stats = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (stats.isDirectory()) {
    for (const name of readdirSync(join(root, path)).sort()) {
      if (!SKIPPED.has(name)) collect(root, path === '' ? name : `${path}/${name}`, into);
    }
  } else if (stats.isSymbolicLink()) {
    into.push({ mode: '120000', path, oid: blobId(Buffer.from(readlinkSync(join(root, path)))) });
  } else if (stats.isFile()) {
    const mode = (stats.mode & 0o100) === 0 ? '100644' : '100755';
    into.push({ mode, path, oid: blobId(readFileSync(join(root, path))) });
  }
}

/** git's own id, so that a folder that becomes a repository keeps its fingerprints. */
function blobId(content: Buffer): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
