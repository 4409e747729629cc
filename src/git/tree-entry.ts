/** Entries and paths of a tree. Imports nothing, because the hook of an edit needs it. */

/** Paths are relative to the root of the tree and `/`-separated. */
export interface TreeEntry {
  readonly mode: string;
  readonly oid: string;
  readonly path: string;
}

/** Parts of a tree: folders or files relative to its root, `/`-separated; `['']` is all of it. */
export type TreePaths = readonly string[];

/** True if `path` is `base` or inside it; `''` is the root. */
export function isWithin(base: string, path: string): boolean {
  return base === '' || path === base || path.startsWith(`${base}/`);
}
