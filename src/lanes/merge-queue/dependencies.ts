/**
 * The work of dependencies in a lane: it starts from their verified work and no more, and takes in
 * what they change later.
 */
import { existsSync } from 'node:fs';
import { actorOf } from '../../agents/actor.ts';
import { ExplainedError } from '../../errors.ts';
import { type Git, gitIn } from '../../git/git.ts';
import { isAncestor, moveRef, refAt } from '../../git/plumbing.ts';
import { readStatus } from '../../git/repository-snapshot.ts';
import { attemptStore } from '../../store/attempts.ts';
import { type Lane, type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import { addLaneEvent, type LaneContext } from '../model/context.ts';
import { baseRef } from '../model/paths.ts';
import { fastForward, mergeCommit } from './merge.ts';
import { gitOfRun, laneBranch } from './repository.ts';

interface LaneBase {
  readonly kind: Lane['baseKind'];
  readonly sha: string;
  /** The commits of its dependencies that are included. */
  readonly used: readonly { readonly needsLaneId: string; readonly sha: string }[];
}

/**
 * The commit that a lane starts from.
 *
 * @throws {ExplainedError} if a dependency is not met, or two of them conflict.
 */
export async function dependencyBase(
  context: LaneContext,
  run: Run,
  lane: Pick<Lane, 'id' | 'key'>,
): Promise<LaneBase> {
  const git = gitOfRun(context, run);
  const needs = neededBy(context, lane);
  const tip = (await refAt(git, run.integrationRef)) ?? run.baseSha;
  const used = needs.map(({ id, sha }) => ({ needsLaneId: id, sha }));
  if (await containsAll(git, tip, needs)) {
    return { kind: tip === run.baseSha ? 'run' : 'integration', sha: tip, used };
  }
  const [first, ...others] = needs;
  if (first === undefined) return { kind: 'run', sha: run.baseSha, used };
  const merged = [first];
  let sha = first.sha;
  for (const next of others) {
    sha = await withNext(git, lane, { sha, merged, next });
    merged.push(next);
  }
  // A merge of several has no other ref, and git would collect it.
  if (others.length > 0) await keep(git, baseRef(run, lane.key), sha);
  return { kind: 'dep', sha, used };
}

interface Needed {
  readonly id: string;
  readonly key: string;
  readonly sha: string;
}

function neededBy({ store }: LaneContext, lane: Pick<Lane, 'id' | 'key'>): Needed[] {
  const lanes = laneStore(store);
  const unmet = lanes.unmet(lane.id);
  if (unmet.length > 0) {
    throw new ExplainedError(`lane ${lane.key} waits for ${unmet.join(', ')}`, {
      hint: 'it starts by itself once they are verified; see `lanehold orchestrate status`',
    });
  }
  return lanes
    .depsOf(lane.id)
    .flatMap(({ needsLaneId }) => lanes.byId(needsLaneId) ?? [])
    .sort((a: LaneView, b: LaneView) => a.position - b.position)
    .flatMap(({ id, key, headSha }) => (headSha === null ? [] : [{ id, key, sha: headSha }]));
}

export async function containsAll(
  git: Git,
  tip: string,
  needs: readonly Pick<Needed, 'sha'>[],
): Promise<boolean> {
  for (const { sha } of needs) if (!(await isAncestor(git, sha, tip))) return false;
  return true;
}

async function withNext(
  git: Git,
  { key }: Pick<Lane, 'key'>,
  { sha, merged, next }: { sha: string; merged: readonly Needed[]; next: Needed },
): Promise<string> {
  if (await isAncestor(git, sha, next.sha)) return next.sha;
  const names = [...merged, next].map((it) => it.key).join(' and ');
  const message = `Merge ${names} for lane ${key} to start from`;
  const merge = await mergeCommit(git, { ours: sha, theirs: next.sha, message });
  if (merge.kind !== 'conflict') return merge.commit;
  const rivals = merged.map((it) => it.key).join(', ');
  throw new ExplainedError(
    `lane ${key} needs ${next.key} and ${rivals}, which conflict in ${merge.paths.join(', ')}`,
    { hint: `settle it in one of them: \`lanehold orchestrate retry ${next.key}\`` },
  );
}

async function keep(git: Git, ref: string, sha: string): Promise<void> {
  const now = await refAt(git, ref);
  if (now !== sha) await moveRef(git, ref, sha, now ?? '', 'lanehold: base of a lane');
}

type Restacked =
  /** `sha` is the lane's new head, to be validated. */
  | { readonly kind: 'restacked'; readonly sha: string; readonly onto: readonly string[] }
  | { readonly kind: 'current' }
  | { readonly kind: 'conflict'; readonly needs: string; readonly paths: readonly string[] }
  /** `needs`: dependencies that are not verified; `busy`: a live worker; `dirty`: local changes. */
  | { readonly kind: 'waiting'; readonly needs: readonly string[] }
  | { readonly kind: 'busy' }
  | { readonly kind: 'dirty'; readonly paths: readonly string[] };

/**
 * Merges what a lane's dependencies have changed since into the lane. It needs a new validation then,
 * but no worker. The lane's validation may be live: it is what asks for this.
 */
export async function restack(
  context: LaneContext,
  run: Run,
  { id }: Pick<Lane, 'id'>,
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

function movedNeeds({ store }: LaneContext, lane: Lane): MovedNeed[] {
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

async function mergeNeed(git: Git, lane: Lane, ours: string, need: MovedNeed) {
  const { before, now: theirs } = need;
  const sides = { ours, theirs, message: `Merge ${need.key} into lane ${lane.key}` };
  // If the dependency was rewritten, its old work must go, not stay beside the new.
  return mergeCommit(git, (await isAncestor(git, before, ours)) ? { ...sides, before } : sides);
}

/** The lane's worktree, if its branch is checked out there. */
export async function checkedOutTree(
  { env }: LaneContext,
  lane: LaneView,
): Promise<{ readonly path: string; readonly dirty: readonly string[] } | undefined> {
  const path = lane.worktree;
  if (path === null || !existsSync(path)) return undefined;
  const git = gitIn(path, env);
  const head = await git.maybe(['symbolic-ref', '--quiet', 'HEAD'], [1, 128]);
  if (head?.trim() !== laneBranch(lane)) return undefined;
  const { changes } = await readStatus(git);
  return { path, dirty: changes.map((it) => it.path) };
}

/** Its files too, where it is checked out. @throws {ExplainedError} if it cannot be moved. */
export async function moveBranch(
  { env }: LaneContext,
  git: Git,
  lane: Lane,
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

function notThere({ key, branch }: Lane, why: string): ExplainedError {
  return new ExplainedError(`the branch of lane ${key} cannot be moved: ${why}`, {
    hint: `see \`git log ${branch}\`, and \`lanehold orchestrate sync\` if its commits are to count`,
  });
}

function note(context: LaneContext, lane: Lane, sha: string, moved: readonly MovedNeed[]): void {
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
