/** Restores the files of a checkpoint into a worktree. */
import { lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../environment.ts';
import { ExplainedError } from '../../errors.ts';
import { isDeniedPath } from '../../files/denied-paths.ts';
import { checkpointTree, privateTree } from '../../git/checkpoint.ts';
import { type Git, gitIn, UNATTENDED } from '../../git/git.ts';
import { CHANGED_PATHS, splitNul } from '../../git/paths.ts';
import { changedBetween } from '../../git/tree-objects.ts';
import { enumerated } from '../../text/count.ts';

export class RestoreRefusedError extends ExplainedError {
  override readonly code = 'RESTORE_REFUSED';
}

/**
 * Makes the working files those of the checkpoint: uncommitted changes on top of the checked-out
 * commit. Ignored files stay, and no content is overwritten that neither HEAD nor the checkpoint has,
 * so an interrupted restore can be repeated.
 *
 * @param checkpoint commit.
 * @throws {RestoreRefusedError} naming the files that would be lost.
 */
export async function restoreInto(
  worktree: string,
  checkpoint: string,
  env: Environment,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lanehold-restore-'));
  try {
    const tree = privateTree(worktree, join(folder, 'index'), env);
    const { git } = tree;
    // Files that checkpoints never contain are not replaced either.
    const present = await checkpointTree(tree, { denied: isDeniedPath });
    await assertNothingLost(git, worktree, present.tree, checkpoint);
    await git.text([...UNATTENDED, 'read-tree', '-m', '-u', present.tree, checkpoint]);
    await gitIn(worktree, env).text([...UNATTENDED, 'reset', '--mixed', '--quiet']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function assertNothingLost(
  git: Git,
  worktree: string,
  present: string,
  checkpoint: string,
): Promise<void> {
  const [changed, added, own] = await Promise.all([
    changedBetween(git, present, checkpoint),
    addedBetween(git, present, checkpoint),
    changedBetween(git, 'HEAD', present),
  ]);
  const uncommitted = new Set(own);
  const inTheWay = added.filter(
    (path) => lstatSync(join(worktree, path), { throwIfNoEntry: false })?.isDirectory() === false,
  );
  const lost = [...changed.filter((path) => uncommitted.has(path)), ...inTheWay];
  if (lost.length === 0) return;
  throw new RestoreRefusedError(
    `the checkpoint would replace files that only ${worktree} has: ${enumerated(lost, 5)}`,
    { hint: 'commit or move these files, then resume again' },
  );
}

async function addedBetween(git: Git, from: string, to: string): Promise<string[]> {
  return splitNul(await git.text([...CHANGED_PATHS, '--diff-filter=A', from, to]));
}
