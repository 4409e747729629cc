/**
 * Restacks lanes: what a dependency has changed since is merged into the lanes that contain it. They
 * need a new validation then, but no worker.
 */

import { existsSync } from 'node:fs';
import { actorOf } from '../../agents/actor.ts';
import { ExplainedError } from '../../errors.ts';
import { type Git, gitIn } from '../../git/git.ts';
import { isAncestor, moveRef, refAt } from '../../git/plumbing.ts';
import { readStatus } from '../../git/status.ts';
import { attemptStore } from '../../store/attempts.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import { addLaneEvent, type LaneContext } from '../context.ts';
import { fastForward } from './fast-forward.ts';
import { mergeChange, mergeCommit } from './merge-commit.ts';
import { gitOfRun, laneBranch } from './repository.ts';

export type Restacked =
  /** `sha` is the lane's new head, to be validated. */
  | { readonly kind: 'restacked'; readonly sha: string; readonly onto: readonly string[] }
  | { readonly kind: 'current' }
  | { readonly kind: 'conflict'; readonly needs: string; readonly paths: readonly string[] }
  /** `needs`: dependencies that are not verified; `busy`: a live worker; `dirty`: local changes. */
  | { readonly kind: 'waiting'; readonly needs: readonly string[] }
  | { readonly kind: 'busy' }
  | { readonly kind: 'dirty'; readonly paths: readonly string[] };

/** The lane's validation may be live: it is what asks for this. */
export async function restack(
  context: LaneContext,
  run: Run,
  { id }: Pick<LaneView, 'id'>,
): Promise<Restacked> {
  const lane = laneStore(context.store).byId(id);
  if (lane === undefined || lane.headSha === null) return { kind: 'current' };
  const moved = movedNeeds(context, lane);
  if (moved.length === 0) return { kind: 'current' };
  const unmet = laneStore(context.store).unmet(id);
  if (unmet.length > 0) return { kind: 'waiting', needs: unmet };
  if (hasWorker(context, id)) return { kind: 'busy' };
  const tree = await checkedOutTree(context, lane);
  if (tree !== undefined && tree.dirty.length > 0) return { kind: 'dirty', paths: tree.dirty };

  const git = gitOfRun(context, run);
  let sha = lane.headSha;
  for (const need of moved) {
    const merge = await mergeNeed(git, lane, sha, need);
    if (merge.kind === 'conflict') {
      return { kind: 'conflict', needs: need.key, paths: merge.paths };
    }
    sha = merge.commit;
  }
  await moveBranch(context, git, lane, { to: sha, tree: tree?.path });
  note(context, lane, sha, moved);
  return { kind: 'restacked', sha, onto: moved.map(({ key }) => key) };
}

interface MovedNeed {
  readonly id: string;
  readonly key: string;
  readonly before: string;
  readonly now: string;
}

function movedNeeds({ store }: LaneContext, lane: LaneView): MovedNeed[] {
  const lanes = laneStore(store);
  return lanes.depsOf(lane.id).flatMap(({ needsLaneId, usedSha }) => {
    const need = lanes.byId(needsLaneId);
    if (need?.headSha == null || usedSha === null || usedSha === need.headSha) return [];
    return [{ id: need.id, key: need.key, before: usedSha, now: need.headSha }];
  });
}

function hasWorker({ store }: LaneContext, laneId: string): boolean {
  return attemptStore(store)
    .live()
    .some((attempt) => attempt.laneId === laneId && attempt.kind !== 'validate');
}

async function mergeNeed(git: Git, lane: LaneView, ours: string, need: MovedNeed) {
  const { before, now: theirs } = need;
  const message = `Merge ${need.key} into lane ${lane.key}`;
  // The dependency was rewritten: its old work must go, not stay beside the new.
  if (await isAncestor(git, before, ours)) {
    return mergeChange(git, { before, ours, theirs, message });
  }
  return mergeCommit(git, { ours, theirs, message });
}

interface CheckedOut {
  readonly path: string;
  readonly dirty: readonly string[];
}

/** The lane's worktree, if its branch is checked out there. */
async function checkedOutTree(
  { env }: LaneContext,
  lane: LaneView,
): Promise<CheckedOut | undefined> {
  const path = lane.worktree;
  if (path === null || !existsSync(path)) return undefined;
  const git = gitIn(path, env);
  const head = await git.maybe(['symbolic-ref', '--quiet', 'HEAD'], [1, 128]);
  if (head?.trim() !== laneBranch(lane)) return undefined;
  const { changes } = await readStatus(git);
  return { path, dirty: changes.map((it) => it.path) };
}

async function moveBranch(
  { env }: LaneContext,
  git: Git,
  lane: LaneView,
  { to, tree }: { readonly to: string; readonly tree: string | undefined },
): Promise<void> {
  const from = lane.headSha ?? '';
  if (from === to) return;
  if (tree === undefined) {
    const moved = await moveRef(git, laneBranch(lane), to, from, 'lanehold: restack');
    // A killed restack may have moved it before noting it: the same merge is the same commit.
    if (moved === 'moved' || (await refAt(git, laneBranch(lane))) === to) return;
    throw notThere(lane, 'it is not where lanehold left it');
  }
  const moved = await fastForward(tree, to, env);
  if (moved.kind === 'blocked') throw notThere(lane, moved.why);
}

function notThere({ key, branch }: LaneView, why: string): ExplainedError {
  return new ExplainedError(`the branch of lane ${key} cannot be moved: ${why}`, {
    hint: `see \`git log ${branch}\`, and \`lanehold orchestrate sync\` if its commits are to count`,
  });
}

function note(
  context: LaneContext,
  lane: LaneView,
  sha: string,
  moved: readonly MovedNeed[],
): void {
  const { store } = context;
  store.write(() => {
    const lanes = laneStore(store);
    lanes.setHead(lane.id, sha, lane.setupHash);
    for (const need of moved) lanes.useDep(lane.id, need.id, need.now);
    const onto = moved.map(({ key, now: head }) => ({ lane: key, sha: head }));
    const by = actorOf(context).name;
    addLaneEvent(context, lane, { type: 'lane.restacked', data: { sha, onto }, by });
  });
}
