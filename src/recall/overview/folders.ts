/** Finds the folders that hold most of a project's source. */
import { parent } from '../../features/discover/source-tree.ts';

export interface Folder {
  readonly path: string;
  /** The number of files in it and below. */
  readonly files: number;
}

const MOST = 12;
const DEEPEST = 4;
/** A folder with a larger share of all files is looked into. */
const LARGE = 0.25;

/** The largest first. A large folder stands for itself only where its files are not in folders. */
export function biggestFolders(paths: readonly string[]): Folder[] {
  const counts = new Map<string, number>();
  const below = new Map<string, Set<string>>();
  for (const path of paths) {
    for (let at = parent(path); at !== ''; at = parent(at)) {
      counts.set(at, (counts.get(at) ?? 0) + 1);
      const outer = below.get(parent(at)) ?? new Set();
      below.set(parent(at), outer.add(at));
    }
  }
  const spread = (folder: string, depth: number): string[] => {
    const inner = [...(below.get(folder) ?? [])];
    const inside = inner.reduce((sum, it) => sum + (counts.get(it) ?? 0), 0);
    const own = counts.get(folder) ?? paths.length;
    const isWhole = own < LARGE * paths.length || inside < own / 2 || depth === DEEPEST;
    return isWhole && folder !== '' ? [folder] : inner.flatMap((it) => spread(it, depth + 1));
  };
  return spread('', 0)
    .map((path) => ({ path, files: counts.get(path) ?? 0 }))
    .sort((a, b) => b.files - a.files || (a.path < b.path ? -1 : 1))
    .slice(0, MOST);
}
