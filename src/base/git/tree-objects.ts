/** The content of a tree, and the differences between two. */
import { type Git, GitError } from './git.ts';
import { CHANGED_PATHS, listedBy, pathArguments, pathLines, textOf } from './paths.ts';
import { type TreeEntry, type TreePaths, withinAny } from './tree-entry.ts';

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
    // git writes no such tree, and it is uncertain which of the two it would check out.
    if (entries.has(path)) throw new GitError(['ls-tree'], `the tree has ${path} twice`);
    entries.set(path, { mode, oid, path });
  }
  return [...entries.values()];
}

/** Paths whose content or mode differs between two trees; a rename gives both its sides. @throws {GitError} */
export const changedBetween = (git: Git, from: string, to: string): Promise<string[]> =>
  listedBy(git, [...CHANGED_PATHS, from, to]);
