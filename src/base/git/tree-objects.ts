/** What a tree has, and what differs between two. */
import { boundedCache } from '../bounded-cache.ts';
import { type Git, GitError } from './git.ts';
import { CHANGED_PATHS, listedBy, pathArguments, pathLines, textOf } from './paths.ts';
import { isOid, type TreeEntry, type TreePaths, withinAny } from './tree-entry.ts';

/** @param revision an oid, or anything git resolves to a tree. @throws {GitError} */
export async function treeAt(git: Git, revision: string, scope: TreePaths): Promise<TreeEntry[]> {
  if (scope.length === 0) return [];
  const isWanted = withinAny(scope);
  const args = ['--literal-pathspecs', 'ls-tree', '-r', '-z', '--full-tree', revision];
  const entries = new Map<string, TreeEntry>();
  for (const { facts, path } of pathLines(
    textOf(await git.bytes([...args, ...pathArguments(scope)])),
  )) {
    if (!isWanted(path)) continue;
    const [mode = '', , oid = ''] = facts.split(' ');
    // git writes no such tree; which of the two would be checked out is not certain.
    if (entries.has(path)) throw new GitError(['ls-tree'], `the tree has ${path} twice`);
    entries.set(path, { mode, oid, path });
  }
  return [...entries.values()];
}

/** Paths whose content or mode differs between two trees; a rename gives both its sides. @throws {GitError} */
export async function changedBetween(git: Git, from: string, to: string): Promise<string[]> {
  const known = differences.find(`${from} ${to}`);
  if (known !== undefined) return [...known];
  const changed = await listedBy(git, [...CHANGED_PATHS, from, to]);
  if (isOid(from) && isOid(to)) differences.keep(`${from} ${to}`, [...changed]);
  return changed;
}

/** Paths by two trees, which never change. */
const differences = boundedCache<readonly string[]>(8 * 1024 * 1024, (paths) =>
  paths.reduce((sum, it) => sum + it.length, 0),
);
