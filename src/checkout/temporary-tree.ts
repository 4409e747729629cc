/** A worktree of one commit that exists only while something runs in it. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Git, UNATTENDED } from '../git/git.ts';

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
  // Hooks of the repository are for a person's own working trees.
  const worktree = [...UNATTENDED, 'worktree'];
  try {
    await git.text([...worktree, 'add', '--quiet', '--detach', root, oid]);
    return await work(root);
  } finally {
    await git.maybe([...worktree, 'remove', '--force', '--force', root], [1, 128]);
    rmSync(folder, { recursive: true, force: true });
    await git.maybe([...worktree, 'prune'], [1, 128]);
  }
}
