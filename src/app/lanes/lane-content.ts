/** Shows the changes of a lane, takes comments on them, and restores its saved trees. */
import { existsSync, lstatSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { actorOf } from '../../agents/actor.ts';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { withScratchFolder } from '../../base/files/scratch-folder.ts';
import { checkpointTree, privateTree } from '../../base/git/checkpoint.ts';
import { CHECKOUT_MS, gitIn } from '../../base/git/git-in.ts';
import { DIFF } from '../../base/git/plumbing.ts';
import { printableLine } from '../../base/text/printable.ts';
import { workOf } from '../../lanes/fit/open-conflicts.ts';
import { addLaneEvent } from '../../lanes/spec/context.ts';
import { type Checkpoint, checkpointStore } from '../../store/attempts.ts';
import { LANE_SEEN, laneEventStore } from '../../store/lane-events.ts';
import type { LaneView } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import type { AppContext } from '../context.ts';
import { tellLane } from './lane-messages.ts';
import { type LaneWish, openLane } from './lanes.ts';
import { lateWorkOf } from './team-lanes.ts';

/** The checkpoints of a lane, the oldest first. */
export async function laneCheckpoints(context: AppContext, wish: LaneWish) {
  const { laneContext, lane } = await openLane(context, wish);
  return { checkpoints: checkpointStore(laneContext.store).ofLane(lane.id).map(viewOf) };
}

/** `reason`: `periodic`, or the event before it. */
function viewOf({ sha, at, files, reason }: Pick<Checkpoint, 'sha' | 'at' | 'files' | 'reason'>) {
  return { id: sha.slice(0, 10), sha, at: at.toISOString(), files, reason };
}

/**
 * Writes the files of a checkpoint into a new folder.
 *
 * @param wish `checkpoint`: an id, or its beginning; `last` is the newest, `late` what another
 *   machine has brought after its claim was over.
 * @throws {UsageError} if there is anything at that path.
 * @throws {ExplainedError}
 */
export async function restoreCheckpoint(
  context: AppContext,
  wish: LaneWish & { readonly checkpoint: string; readonly to: string },
) {
  const { laneContext, run, lane } = await openLane(context, wish);
  const found =
    wish.checkpoint === 'late'
      ? await lateWorkOf(laneContext, run, lane)
      : named(checkpointStore(laneContext.store).ofLane(lane.id), wish);
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
    // The folder is new, so a second try finds the path free.
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

interface DiffWish extends LaneWish {
  readonly stat: boolean;
  readonly only?: readonly string[] | undefined;
  /** Only the changes since a person last marked the lane as seen. */
  readonly unseen?: boolean | undefined;
  readonly seen?: boolean | undefined;
}

export async function laneDiff(context: AppContext, wish: DiffWish) {
  const { tip, git, saved, ...changes } = await changesOf(context, wish);
  const base = (wish.unseen && changes.seen) || changes.base;
  const only = (wish.only ?? []).map((glob) => `:(glob)${glob}`);
  const form = wish.stat ? '--stat=100' : '--patch';
  const diff = await git.text([...DIFF, form, base, tip, '--', ...only]);
  if (wish.seen) await markSeen(context, { ...wish, sha: saved });
  return { base, tip, diff };
}

async function changesOf(context: AppContext, wish: LaneWish) {
  const { laneContext, run, lane } = await openLane(context, wish);
  const base = lane.baseSha ?? run.baseSha;
  const saved = workOf(laneContext, lane) ?? base;
  const { env } = laneContext;
  const { worktree, state } = lane;
  // A running worker has changed more than the last checkpoint has.
  const isAtWork = state === 'running' && worktree !== null && existsSync(worktree);
  const tip = isAtWork
    ? await withScratchFolder(async (scratch) => {
        const tree = privateTree(worktree, join(scratch, 'index'), env);
        return (await checkpointTree(tree, { base: saved })).tree;
      })
    : saved;
  const seen = seenOf(laneContext.store, lane)?.sha;
  return { base, saved, tip, seen, git: gitIn(run.repository, env) };
}

/** The commit up to which a person has seen a lane, and when; `null`: not yet. */
export function seenOf(store: Store, { id, runId }: LaneView) {
  const last = laneEventStore(store).lastOfLane(runId, LANE_SEEN, id);
  return last === undefined ? null : { sha: String(last.data.sha), at: last.at };
}

/**
 * Sends a comment on one line to the lane's worker, with the line quoted.
 *
 * @param wish `at`: `src/api.ts:12`, counted in the lane's version of the file.
 * @throws {UsageError} if the lane has no such file, or the file no such line.
 */
export async function commentOnLine(
  context: AppContext,
  { at, text, ...wish }: LaneWish & { readonly at: string; readonly text: string },
) {
  const [, path = '', number = ''] = /^(.+):([1-9]\d{0,8})$/s.exec(at) ?? [];
  if (path === '') {
    throw new UsageError(`\`${printableLine(at, 200)}\` is no line of a file`, {
      hint: 'write FILE:LINE, such as `src/api.ts:12`',
    });
  }
  const { tip, git } = await changesOf(context, wish);
  const file = await git.maybe(['cat-file', 'blob', `${tip}:${path}`], [128]);
  const lines = file?.replace(/\n$/, '').split('\n') ?? [];
  const quoted = lines[Number(number) - 1];
  if (quoted === undefined) {
    const fact =
      file === undefined ? `no file ${printableLine(path, 200)}` : `no line ${number} there`;
    throw new UsageError(`lane ${wish.key} has ${fact}`, {
      hint: `its changes: lanehold orchestrate lane diff ${wish.key}`,
    });
  }
  const where = `On ${path}:${number} (as of ${tip.slice(0, 8)}):`;
  const comment = [where, `> ${printableLine(quoted, MOST_QUOTED)}`, text].join('\n');
  return { ...(await tellLane(context, { ...wish, text: comment })), path, line: Number(number) };
}

const MOST_QUOTED = 400;

/** Records up to which commit a person has seen a lane. @throws {UsageError} if there is no such commit. */
export async function markSeen(context: AppContext, { sha, ...wish }: LaneWish & { sha: string }) {
  const { laneContext, run, lane } = await openLane(context, wish);
  const isId = /^[0-9a-f]{40,64}$/.test(sha);
  const args = ['rev-parse', '--quiet', '--verify', `${sha}^{commit}`];
  const found = isId && (await gitIn(run.repository, context.env).maybe(args, [1, 128]));
  if (!found) throw new UsageError(`there is no commit ${printableLine(sha, 80)}`);
  const event = { type: LANE_SEEN, data: { sha }, by: actorOf(context).name };
  laneContext.store.write(() => addLaneEvent(laneContext, lane, event));
  return { lane: lane.key, sha };
}
