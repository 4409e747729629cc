/**
 * Working trees in which nobody works: merged commits are checked out there to be validated. There is
 * one per run and purpose; whoever uses it holds the lock of that purpose.
 */
import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makePrivateFolder } from '../../private-folder.ts';
import { type Git, gitIn, UNATTENDED } from '../../project/git.ts';
import { projectPlace } from '../../project/identity.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneWorld } from '../world.ts';
import { gitOfRun } from './repository.ts';

export type TreePurpose = 'integration' | 'composition';

export interface DetachedTree {
  readonly path: string;
  readonly git: Git;
}

/** A large tree takes its time. */
const CHECKOUT_MS = 600_000;

/** Checks out a commit; what an earlier validation left behind is gone, ignored files stay. */
export async function checkOut(
  world: LaneWorld,
  run: Run,
  purpose: TreePurpose,
  sha: string,
): Promise<DetachedTree> {
  const path = treePath(world, run, purpose);
  const git = (): Git => gitIn(path, world.env, { timeoutMs: CHECKOUT_MS });
  if (!isTreeOf(run, path)) {
    makePrivateFolder(dirname(path));
    const reason = `lanehold:${purpose} of ${run.name}`;
    const repository = gitOfRun(world, run);
    // Twice: one that was deleted by hand is still registered, and locked.
    const again = ['--force', '--force', '--lock', '--reason', reason];
    await repository.text([
      ...UNATTENDED,
      ...['worktree', 'add', '--quiet', '--detach', '--no-checkout', ...again, path, sha],
    ]);
  }
  const tree = git();
  // Left by a git that was killed here; nobody else is at work in this tree.
  const { gitDir } = projectPlace(path);
  if (gitDir !== undefined) rmSync(join(gitDir, 'index.lock'), { force: true });
  await tree.text([...UNATTENDED, 'checkout', '--quiet', '--force', '--detach', sha, '--']);
  await tree.text([...UNATTENDED, 'clean', '-ffdq']);
  return { path, git: tree };
}

/** `@`: no lane is named like this. */
function treePath({ store }: LaneWorld, run: Run, purpose: TreePurpose): string {
  const digest = createHash('sha256').update(run.commonDir).digest('hex').slice(0, 8);
  const repository = `${basename(run.repository)}-${digest}`;
  return join(store.home.root, 'worktrees', repository, run.name, `@${purpose}`);
}

function isTreeOf(run: Run, path: string): boolean {
  return existsSync(join(path, '.git')) && projectPlace(path).identity === run.commonDir;
}
