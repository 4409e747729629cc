/** A temporary working tree of another commit. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gitIn, UNATTENDED } from '../../git/git.ts';
import type { LaneContext } from '../context.ts';

export interface BaseTree {
  /** Any working tree of the repository. */
  readonly worktree: string;
  readonly sha: string;
  /** The folder in which the tree is made. */
  readonly dir: string;
}

export async function withBaseTree<T>(
  { env }: LaneContext,
  { worktree, sha, dir }: BaseTree,
  work: (root: string) => Promise<T>,
): Promise<T> {
  const git = gitIn(worktree, env);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const folder = join(mkdtempSync(join(dir, 'base-')), 'tree');
  const worktreeCommand = [...UNATTENDED, 'worktree'];
  try {
    await git.text([...worktreeCommand, 'add', '--quiet', '--detach', folder, sha]);
    return await work(folder);
  } finally {
    await git.maybe([...worktreeCommand, 'remove', '--force', '--force', folder], [1, 128]);
    rmSync(join(folder, '..'), { recursive: true, force: true });
    await git.maybe([...worktreeCommand, 'prune'], [1, 128]);
  }
}
