/**
 * Makes the worktree of a lane ready for work: its files, the state that an earlier attempt left, and the files that
 * the project includes. An earlier call may have been killed at any point.
 */
import { existsSync, lstatSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError } from '../../base/errors.ts';
import { withScratchFolder } from '../../base/files/scratch-folder.ts';
import { checkpointTree, privateTree } from '../../base/git/checkpoint.ts';
import type { Git } from '../../base/git/git.ts';
import { CHECKOUT_MS, gitIn } from '../../base/git/git-in.ts';
import { CHANGED_PATHS, splitNul } from '../../base/git/paths.ts';
import { refAt } from '../../base/git/plumbing.ts';
import { projectPlace } from '../../base/git/project.ts';
import { changedBetween } from '../../base/git/tree-objects.ts';
import { enumerated } from '../../base/text/printable.ts';
import { copyIncluded } from '../../checkout/include.ts';
import { addSubmodules } from '../../checkout/submodules.ts';
import { checkpointStore } from '../../store/attempts.ts';
import type { Lane, Run } from '../../store/lanes.ts';
import type { LaneContext } from '../spec/context.ts';
import { checkpointRef, worktreesRoot } from '../spec/paths.ts';
import { ensureWorktree, type WorktreeWish } from './create.ts';

interface LaneTreeWish extends Pick<WorktreeWish, 'path' | 'sha' | 'attempt' | 'claim'> {
  readonly lane: Lane;
  readonly worktrees: string | undefined;
}

/** A file in the worktree's git directory, so it is removed together with the worktree. */
const READY = 'lanehold-ready';

/**
 * @returns missing submodules, and missing files of `.worktreeinclude`, each with the reason.
 * @throws {ExplainedError} if the path holds something that is not the lane's.
 */
export async function readyLaneTree(
  { store, env }: LaneContext,
  run: Run,
  { lane, worktrees, ...wish }: LaneTreeWish,
): Promise<readonly string[]> {
  const { path } = wish;
  const { created, gitDir } = await ensureWorktree({
    ...wish,
    branchOwner: lane.worktree === null ? 'none' : 'lane',
    repository: projectPlace(run.repository),
    root: worktreesRoot(store.home, worktrees),
    branch: lane.branch,
    locks: store.home.locks,
    env,
  });
  // git writes the index after all files. A tree without it would look as if the lane had deleted the rest.
  if (!existsSync(join(gitDir, 'index'))) {
    rmSync(join(gitDir, 'index.lock'), { force: true });
    const git = gitIn(path, env, { timeoutMs: CHECKOUT_MS });
    await git.text(['reset', '--hard', '--quiet']);
  }
  if (isReady(gitDir)) return [];
  // A lane of another machine may have been worked on elsewhere.
  const elsewhere = () => refAt(gitIn(path, env), checkpointRef(run, lane.key));
  const last = checkpointStore(store).last(lane.id)?.sha ?? (await elsewhere());
  try {
    if (last !== undefined) await restoreInto(path, last, env);
  } catch (error) {
    // The work in an existing tree is newer than the checkpoint.
    if (!(error instanceof ExplainedError) || error.code !== REFUSED || created) throw error;
  }
  const git = gitIn(path, env, { timeoutMs: CHECKOUT_MS });
  const filling = { oid: 'HEAD', from: [run.repository, run.commonDir], root: path };
  const missing = await addSubmodules(git, filling);
  const { skipped } = await copyIncluded(run.repository, path, env);
  writeFileSync(join(gitDir, READY), '', { mode: 0o600 });
  return [
    ...missing.map((it) => `${it} (a submodule whose commit is not here)`),
    ...skipped.map((it) => `${it.path} (${WHY[it.why]})`),
  ];
}

const WHY = {
  'leads-out': 'a link that leads out of the checkout',
  'not-ignored': 'git does not ignore it',
  'no-folder': 'a part of its path is no folder',
  'no-file': 'neither file nor link',
} as const;

/** Whether the tree was completed before any work began in it. */
export function isReady(gitDir: string): boolean {
  return existsSync(join(gitDir, READY));
}

const REFUSED = 'RESTORE_REFUSED';

/**
 * Makes the working files those of the checkpoint: uncommitted changes on top of the checked-out commit. Ignored files
 * stay, and no content is overwritten that neither HEAD nor the checkpoint has, so an interrupted restore can be
 * repeated.
 *
 * @param checkpoint its commit.
 * @throws {ExplainedError} with the files that would be lost.
 */
export async function restoreInto(worktree: string, checkpoint: string, env: NodeJS.ProcessEnv) {
  await withScratchFolder(async (folder) => {
    const tree = privateTree(worktree, join(folder, 'index'), env);
    const { git } = tree;
    // Files that checkpoints never contain are not replaced either.
    const present = await checkpointTree(tree);
    await assertNothingLost(git, worktree, present.tree, checkpoint);
    await git.text(['read-tree', '-m', '-u', present.tree, checkpoint]);
    await gitIn(worktree, env).text(['reset', '--mixed', '--quiet']);
  });
}

async function assertNothingLost(git: Git, worktree: string, present: string, checkpoint: string) {
  const [changed, added, own] = await Promise.all([
    changedBetween(git, present, checkpoint),
    git.text([...CHANGED_PATHS, '--diff-filter=A', present, checkpoint]),
    changedBetween(git, 'HEAD', present),
  ]);
  const uncommitted = new Set(own);
  const inTheWay = splitNul(added).filter(
    (path) => lstatSync(join(worktree, path), { throwIfNoEntry: false })?.isDirectory() === false,
  );
  const lost = [...changed.filter((path) => uncommitted.has(path)), ...inTheWay];
  if (lost.length === 0) return;
  const fact = `the checkpoint would replace files that only ${worktree} has: ${enumerated(lost, 5)}`;
  const hint = 'commit or move these files, then resume again';
  throw new ExplainedError(fact, { code: REFUSED, hint });
}
