/** Shows the changes of a lane, and restores its tree from the moments at which it was saved. */
import { existsSync, lstatSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { withScratchFolder } from '../../base/files/scratch-folder.ts';
import { CHECKOUT_MS, gitIn } from '../../base/git/git-in.ts';
import { tipOf } from '../../lanes/fit/open-conflicts.ts';
import { type Checkpoint, checkpointStore } from '../../store/attempts.ts';
import type { AppContext } from '../context.ts';
import { type LaneWish, openLane } from './lanes.ts';

/** The oldest first. */
export async function laneCheckpoints(context: AppContext, wish: LaneWish) {
  const { laneContext, lane } = await openLane(context, wish);
  return { checkpoints: checkpointStore(laneContext.store).ofLane(lane.id).map(viewOf) };
}

/** `reason`: `periodic`, or what had just happened. */
function viewOf({ sha, at, files, reason }: Checkpoint) {
  return { id: sha.slice(0, 10), sha, at: at.toISOString(), files, reason };
}

/**
 * Writes the files of a checkpoint into a new folder.
 *
 * @param wish `checkpoint`: its id, or the beginning of it; `last` is the newest.
 * @throws {UsageError} if there is anything at that path.
 * @throws {ExplainedError}
 */
export async function restoreCheckpoint(
  context: AppContext,
  wish: LaneWish & { readonly checkpoint: string; readonly to: string },
) {
  const { laneContext, run, lane } = await openLane(context, wish);
  const found = named(checkpointStore(laneContext.store).ofLane(lane.id), wish);
  const folder = resolve(context.cwd, wish.to);
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) {
    throw new UsageError(`${folder} is there already`, {
      hint: 'nothing is written over: name a new folder',
    });
  }
  if (!existsSync(dirname(folder))) {
    throw new UsageError(`there is no folder ${dirname(folder)}`, { hint: 'make it first' });
  }
  try {
    await withScratchFolder(async (scratch) => {
      const indexFile = join(scratch, 'index');
      const git = gitIn(run.repository, context.env, { indexFile, timeoutMs: CHECKOUT_MS });
      await git.text(['read-tree', found.sha]);
      makePrivateFolder(folder);
      await git.text(['checkout-index', '--all', `--prefix=${folder}/`]);
    });
  } catch (error) {
    // It is new: a second try finds the path free.
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return { ...viewOf(found), folder };
}

function named(
  checkpoints: readonly Checkpoint[],
  { key, checkpoint }: { readonly key: string; readonly checkpoint: string },
): Checkpoint {
  const last = checkpoints.at(-1);
  if (checkpoint === 'last' && last !== undefined) return last;
  const found = checkpoints.filter(({ sha }) => sha.startsWith(checkpoint));
  const [one] = found;
  if (one !== undefined && found.every(({ sha }) => sha === one.sha)) return one;
  throw new ExplainedError(
    found.length === 0
      ? `lane ${key} has no checkpoint \`${checkpoint}\``
      : `several checkpoints of lane ${key} begin with \`${checkpoint}\``,
    { code: 'NO_SUCH_CHECKPOINT', hint: `see \`lanehold orchestrate lane checkpoints ${key}\`` },
  );
}

/** @param wish `stat`: one line for each file. */
export async function laneDiff(context: AppContext, wish: LaneWish & { readonly stat: boolean }) {
  const { laneContext, run, lane } = await openLane(context, wish);
  const base = lane.baseSha ?? run.baseSha;
  const tip = tipOf(laneContext, lane) ?? base;
  const how = ['diff', '--no-ext-diff', '--no-textconv', '--no-color'];
  if (wish.stat) how.push('--stat=100');
  const diff = await gitIn(run.repository, context.env).text([...how, base, tip, '--']);
  return { base, tip, diff };
}
