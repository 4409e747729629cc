/** The worktrees that are registered in a repository. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Git } from './git.ts';
import { projectPlace } from './project.ts';

export interface RegisteredWorktree {
  readonly path: string;
  /** Commit that is checked out; `undefined` for a bare repository, or before its first commit. */
  readonly head: string | undefined;
  /** Full name of the branch that is checked out; `undefined` if HEAD is detached. */
  readonly branch: string | undefined;
  /** Reason of the lock, which may be empty; `undefined` if it is not locked. */
  readonly locked: string | undefined;
}

/** The worktrees, the main one first. @see https://git-scm.com/docs/git-worktree#_porcelain_format */
export async function listWorktrees(git: Git): Promise<RegisteredWorktree[]> {
  const listing = await git.text(['worktree', 'list', '--porcelain', '-z']);
  const records = listing.split('\0\0').filter(Boolean);
  return records.map((record) => {
    const facts = new Map(
      record.split('\0').map((line) => {
        const [name = ''] = line.split(' ', 1);
        return [name, line.slice(name.length + 1)];
      }),
    );
    const head = facts.get('HEAD');
    return {
      path: facts.get('worktree') ?? '',
      head: head === undefined || /^0+$/.test(head) ? undefined : head,
      branch: facts.get('branch'),
      locked: facts.get('locked'),
    };
  });
}

/** The full name of the branch that is being rebased there: HEAD is detached, and git moves the branch at the end. */
export function rebasedBranch(path: string): string | undefined {
  const { gitDir } = projectPlace(path);
  const files = ['rebase-merge', 'rebase-apply'].map((it) => join(gitDir ?? path, it, 'head-name'));
  const file = files.find((it) => existsSync(it));
  return file && readFileSync(file, 'utf8').trim();
}

/** The reason with which git locks a worktree until all of its files are checked out. */
export const UNFINISHED = 'initializing';

/** Checks out a branch or a commit, completely, into a new or empty folder: left-out files would not be tested. */
export async function addWorktree(
  git: Git,
  path: string,
  at: string,
  ...options: readonly string[]
): Promise<void> {
  const add = ['worktree', 'add', '--quiet', ...options, '--', path, at];
  await git.text(['-c', 'core.sparseCheckout=false', ...add]);
}

/**
 * Removes a worktree with all of its files, or the registration of one that is gone. The option `--force` is given
 * twice, because git refuses a worktree that is locked or has changes, which the caller has checked.
 */
export async function dropWorktree(git: Git, path: string): Promise<void> {
  await git.text(['worktree', 'remove', '--force', '--force', '--', path]);
}

/**
 * Locks a worktree as `git worktree lock` does.
 *
 * @param gitDir the working tree's own.
 * @see https://git-scm.com/docs/gitrepository-layout
 */
export function lockWorktree(gitDir: string, reason: string): void {
  writeFileSync(join(gitDir, 'locked'), reason, { flag: 'wx' });
}
