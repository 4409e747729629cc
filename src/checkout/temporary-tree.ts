/** A worktree of one commit that exists only while something runs in it. */
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '../base/files/inside.ts';
import type { Git } from '../base/git/git.ts';
import { addWorktree, dropWorktree, listWorktrees } from '../base/git/worktrees.ts';

interface TemporaryTree {
  readonly oid: string;
  /** Path of a new folder around it, to which a few characters are added. */
  readonly around: string;
  /** Name of its own folder. */
  readonly name: string;
}

/** @param git with time enough for a large tree, and for filters that download content. */
export async function withTemporaryTree<T>(
  git: Git,
  { oid, around, name }: TemporaryTree,
  work: (root: string) => Promise<T>,
): Promise<T> {
  const folder = realpathSync(mkdtempSync(around));
  const root = join(folder, name);
  // Not `prune`, which also forgets trees of the user whose disk is away.
  const remove = () => git.maybe(['worktree', 'remove', '--force', '--force', root], [1, 128]);
  try {
    await addWorktree(git, root, oid, '--detach');
    return await work(root);
  } finally {
    const removed = await remove();
    rmSync(folder, { recursive: true, force: true });
    // Where something went on writing, git only forgets it once its folder is gone.
    if (removed === undefined) await remove();
  }
}

/** Removes the worktrees that killed processes left below a folder that is not in use. */
export async function removeTreesLeftIn(git: Git, folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const real = realpathSync(folder);
  for (const { path } of await listWorktrees(git)) {
    if (!isInside(real, path)) continue;
    // git removes no tree that has lost its own file; that it is gone, git takes.
    rmSync(path, { recursive: true, force: true });
    await dropWorktree(git, path);
  }
}
