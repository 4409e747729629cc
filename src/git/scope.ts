/** Parts of a tree: folders or files relative to its root, `/`-separated; `['']` is all of it. */
export type Scope = readonly string[];

/** True if `path` is `base` or inside it; `''` is the root. */
export function isWithin(base: string, path: string): boolean {
  return base === '' || path === base || path.startsWith(`${base}/`);
}
