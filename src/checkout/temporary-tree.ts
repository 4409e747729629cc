/** A worktree of one commit that exists only while something runs in it. */
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '../base/files/inside.ts';
import type { Git } from '../base/git/git.ts';
import { addWorktree, dropWorktree, listWorktrees } from '../base/git/worktrees.ts';

interface TemporaryTree {
  readonly oid: string;
  /** The path of a new folder around it; a few characters are added to the name. */
  readonly around: string;
  /** Name of its own folder. */
  readonly name: string;
}

/** @param git has a time limit that is long enough for a large tree, and for filters that download content. */
export async function withTemporaryTree<T>(
  git: Git,
  { oid, around, name }: TemporaryTree,
  work: (root: string) => Promise<T>,
): Promise<T> {
  const folder = realpathSync(mkdtempSync(around));
  const root = join(folder, name);
  // `prune` would also forget trees of the user whose disk is not mounted.
  const remove = () => git.maybe(['worktree', 'remove', '--force', '--force', root], [1, 128]);
  try {
    await addWorktree(git, root, oid, '--detach');
    return await work(root);
  } finally {
    const removed = await remove();
    rmSync(folder, { recursive: true, force: true });
    // If a process went on writing, git forgets the tree only after its folder is gone.
    if (removed === undefined) await remove();
  }
}

/** Removes the worktrees that killed processes left below a folder that is not in use. */
export async function removeTreesLeftIn(git: Git, folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const real = realpathSync(folder);
  for (const { path } of await listWorktrees(git)) {
    if (!isInside(real, path)) continue;
    // git refuses to remove a tree without its own file, but accepts one that is gone.
    rmSync(path, { recursive: true, force: true });
    await dropWorktree(git, path);
  }
}
