/** Entries and paths of a tree. Imports nothing, because the hook of an edit needs it. */

/** Paths are relative to the root of the tree and `/`-separated. */
export interface TreeEntry {
  readonly mode: string;
  readonly oid: string;
  readonly path: string;
}

/** Modes of entries that are no files. */
export const LINK = '120000';
export const SUBMODULE = '160000';

/** Parts of a tree: folders or files relative to its root, `/`-separated; `['']` is all of it. */
export type TreePaths = readonly string[];

/** True if `path` is `base` or inside it; `''` is the root. */
export function isWithin(base: string, path: string): boolean {
  return base === '' || path === base || path.startsWith(`${base}/`);
}

/** A path, the folders that it is in, and the root `''` last. */
export function* upwards(path: string): Generator<string> {
  for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1)) yield path.slice(0, at);
  yield '';
}

/** True for a path that is within one of some bases, however many there are. */
export function withinAny(bases: readonly string[]): (path: string) => boolean {
  const known = new Set(bases);
  if (known.has('')) return () => true;
  // Most files have their folder in common with others.
  const folders = new Map<string, boolean>();
  const isIn = (path: string): boolean => {
    if (known.has(path)) return true;
    if (path === '') return false;
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    const found = folders.get(folder) ?? isIn(folder);
    folders.set(folder, found);
    return found;
  };
  return isIn;
}

/** @param a sorted as `b` is. */
function areEqual(a: readonly TreeEntry[], b: readonly TreeEntry[]): boolean {
  const isSame = ({ path, oid, mode }: TreeEntry, other: TreeEntry | undefined): boolean =>
    other?.path === path && other.oid === oid && other.mode === mode;
  return a.length === b.length && a.every((it, at) => isSame(it, b[at]));
}

/** Paths whose content or mode is not the same in both; sorted. */
export function differingPaths(a: readonly TreeEntry[], b: readonly TreeEntry[]): string[] {
  if (areEqual(a, b)) return [];
  const id = ({ mode, oid, path }: TreeEntry) => `${mode} ${oid} ${path}`;
  const inA = new Set(a.map(id));
  const inB = new Set(b.map(id));
  const only = [...a.filter((it) => !inB.has(id(it))), ...b.filter((it) => !inA.has(id(it)))];
  return [...new Set(only.map((entry) => entry.path))].sort();
}

/** True for an object id, except for the zeros that stand for none. */
export const isOid = (text: string): boolean => /^(?!0+$)(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** git's own id of a content, so that a file has the same fingerprint in a folder and in a repository. */
export function blobId(content: Buffer): string {
  // The import is here because most hooks read no file.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}
