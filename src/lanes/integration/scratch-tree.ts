/**
 * Scratch working trees: merged commits are checked out there to be validated. There is one per run
 * and purpose; its user holds the lock of that purpose.
 */
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { gitIn, UNATTENDED } from '../../git/git.ts';
import { projectPlace } from '../../git/project.ts';
import { listWorktrees } from '../../git/worktrees.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { locksOf, worktreesRoot } from '../paths.ts';
import {
  assertPlace,
  linkedGitDir,
  refused,
  repositoryGit,
  worktreePlace,
} from '../worktree/place.ts';
import { repositoryLock, withLock } from '../worktree/with-lock.ts';
import { purposeFolder, purposeReason, type TreePurpose } from './purpose.ts';

/** Long enough for a large tree, and for filters that download content. */
const CHECKOUT_MS = 900_000;
const LOCK_WAIT_MS = 300_000;

/**
 * Checks out a commit. Files of an earlier validation are removed, except for ignored ones.
 *
 * @param worktrees the configured root of all worktrees.
 * @returns the path of the tree.
 * @throws {WorktreeRefusedError} if something else is in the way.
 */
export async function checkOut(
  context: LaneContext,
  run: Run,
  purpose: TreePurpose,
  { sha, worktrees }: { readonly sha: string; readonly worktrees: string | undefined },
): Promise<string> {
  const { store, env } = context;
  const repository = projectPlace(run.repository);
  const root = worktreesRoot(store.home, worktrees);
  const beside = worktreePlace({ root, repository, run: run.name, lane: 'any' });
  const path = join(dirname(beside), purposeFolder(purpose));
  if (!existsSync(join(path, '.git'))) {
    const file = repositoryLock(locksOf(store.home), 'worktrees', repository.identity);
    const what = `other worktrees of ${repository.root} to be made`;
    await withLock({ file, waitMs: LOCK_WAIT_MS, what }, async () => {
      const git = repositoryGit(repository, env, CHECKOUT_MS);
      assertPlace({ path, root, repository }, await listWorktrees(git));
      makePrivateFolder(dirname(path));
      const reason = purposeReason(purpose, run);
      // Given twice: a tree that was deleted by hand is still registered, and locked.
      const lock = ['--force', '--force', '--lock', '--reason', reason];
      const add = ['worktree', 'add', '--quiet', '--detach', '--no-checkout', ...lock, path, sha];
      await git.text([...UNATTENDED, ...add]);
    });
  }
  const gitDir = linkedGitDir(path, repository);
  if (typeof gitDir !== 'string') throw refused(path, gitDir.why, 'move the folder away');
  // Left by a git process that was killed; the purpose's lock is held, so no other git runs here.
  rmSync(join(gitDir, 'index.lock'), { force: true });
  const git = gitIn(path, env, { network: true, timeoutMs: CHECKOUT_MS });
  await git.text([...UNATTENDED, 'checkout', '--quiet', '--force', '--detach', sha, '--']);
  await git.text([...UNATTENDED, 'clean', '-ffdq']);
  return path;
}
