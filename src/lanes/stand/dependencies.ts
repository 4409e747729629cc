/**
 * The base of a lane: it starts from exactly the verified work of its dependencies, takes in their later changes, and
 * the tip after a refusal.
 */
import { existsSync } from 'node:fs';
import { actorOf } from '../../agents/actor.ts';
import { ExplainedError } from '../../base/errors.ts';
import type { Git } from '../../base/git/git.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { commitMerge, containsAll, fastForward, mergeCommit } from '../../base/git/merge.ts';
import { splitNul } from '../../base/git/paths.ts';
import { isAncestor, mergeTrees, moveRef, refAt } from '../../base/git/plumbing.ts';
import { readStatus } from '../../base/git/repository-snapshot.ts';
import { addSubmodules } from '../../checkout/submodules.ts';
import { type Lane, type LaneView, laneStore, type Run } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import { addLaneEvent, gitOfRun, type LaneContext, laneBranch } from '../spec/context.ts';
import { lastRefusal } from '../spec/outcomes.ts';
import { baseRef } from '../spec/paths.ts';
import { signed, signedUnless } from '../tree/sign.ts';
import { takenOut } from './taken-out.ts';
import { tipOf } from './tip.ts';

/**
 * The commit that a lane starts from, and the commits of its dependencies that are included.
 *
 * @throws {ExplainedError} if a dependency is not met, or two of them conflict.
 */
export async function dependencyBase(context: LaneContext, run: Run, lane: Lane) {
  const git = gitOfRun(context, run);
  const needs = neededBy(context, lane);
  const tip = await startOf(context, run, git);
  const shas = needs.map(({ sha }) => sha);
  const used = needs.map(({ id, sha }) => ({ needsLaneId: id, sha }));
  if (await containsAll(git, tip, shas)) return { sha: tip, used };
  const sha = await mergeOf(git, lane.key, needs);
  if (needs.length > 1) {
    // A merge of several has no other ref, and git would collect it.
    const ref = baseRef(run, lane.key);
    const now = await refAt(git, ref);
    if (now !== sha) await moveRef(git, ref, sha, now ?? '', 'lanehold: base of a lane');
  }
  return { sha, used };
}

/** The commit from which a lane starts. It is chosen once and recorded, because later work is compared with it. */
export async function baseOf(context: LaneContext, run: Run, lane: Lane): Promise<string> {
  if (lane.baseSha !== null) return lane.baseSha;
  const { sha, used } = await dependencyBase(context, run, lane);
  const lanes = laneStore(context.store);
  context.store.write(() => {
    lanes.setBase(lane.id, sha);
    for (const { needsLaneId, sha: usedSha } of used) lanes.useDep(lane.id, needsLaneId, usedSha);
  });
  return sha;
}

/** The tip, or the target if the tip still has commits that were removed from there. */
async function startOf(context: LaneContext, run: Run, git: Git): Promise<string> {
  const { tip = run.baseSha, target } = await tipOf(context, run, git);
  const back = await (await takenOut(context, run, git, target))(tip);
  return (back.length > 0 ? target : undefined) ?? tip;
}

function neededBy({ store }: LaneContext, lane: Lane) {
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
    .sort((a, b) => a.position - b.position)
    .flatMap(({ id, key, headSha }) => (headSha === null ? [] : [{ id, key, sha: headSha }]));
}

/** @param key the lane that starts from the merge. */
async function mergeOf(git: Git, key: string, needs: ReturnType<typeof neededBy>): Promise<string> {
  let sha = '';
  const merged: string[] = [];
  for (const next of needs) {
    const before = merged.join(', ');
    merged.push(next.key);
    if (sha === '' || (await isAncestor(git, sha, next.sha))) {
      sha = next.sha;
      continue;
    }
    const message = `Merge ${merged.join(' and ')} for lane ${key} to start from`;
    const merge = await mergeCommit(git, { ours: sha, theirs: next.sha, message });
    if (merge.kind === 'conflict') {
      const where = merge.paths.join(', ');
      throw new ExplainedError(
        `lane ${key} needs ${next.key} and ${before}, which conflict in ${where}`,
        { hint: `settle it in one of them: \`lanehold orchestrate retry ${next.key}\`` },
      );
    }
    sha = await signedUnless(git, merge.commit, [sha, next.sha]);
  }
  return sha;
}

/**
 * Merges later changes of a lane's dependencies into the lane, which then needs a new validation, but no worker. The
 * lane's validation, which calls this, may be live. `waiting`: the dependencies are not verified; `dirty`: the lane's
 * tree has local changes.
 *
 * @throws {ExplainedError} if its branch cannot be moved.
 */
export async function restack(context: LaneContext, run: Run, { id }: Pick<Lane, 'id'>) {
  const lanes = laneStore(context.store);
  const lane = lanes.byId(id);
  const moved = lanes.movedDeps(id);
  if (lane === undefined || lane.headSha === null || moved.length === 0) {
    return { kind: 'current' as const };
  }
  if (lanes.unmet(id).length > 0) return { kind: 'waiting' as const };
  const tree = await checkedOutTree(context, lane);
  if (tree?.isDirty) return { kind: 'dirty' as const };

  const git = gitOfRun(context, run);
  let sha = lane.headSha;
  const onto: { readonly lane: string; readonly sha: string }[] = [];
  for (const { needsLaneId, from, to: theirs } of moved) {
    const key = lanes.byId(needsLaneId)?.key ?? needsLaneId;
    const sides = { ours: sha, theirs, message: `Merge ${key} into lane ${lane.key}` };
    // If the dependency was rewritten, its old work must go, and not stay beside the new.
    const old = (await isAncestor(git, from, sha)) ? from : undefined;
    const merge = await mergeCommit(git, sides, old);
    if (merge.kind === 'conflict') return { kind: merge.kind, needs: key, paths: merge.paths };
    sha = await signedUnless(git, merge.commit, [sha, theirs]);
    onto.push({ lane: key, sha: theirs });
  }
  const why = await moveBranch(context, run, lane, { to: sha, tree: tree?.path });
  if (why !== undefined) {
    throw new ExplainedError(`the branch of lane ${lane.key} cannot be moved: ${why}`, {
      hint: `see \`git log ${lane.branch}\`, and \`lanehold orchestrate sync\` if its commits are to count`,
    });
  }
  noteHead(context, lane, { sha, onto }, () => {
    for (const { needsLaneId, to } of moved) lanes.useDep(id, needsLaneId, to);
  });
  return { kind: 'restacked' as const };
}

/** Makes a commit from elsewhere the lane's own: its branch is moved, with its files. @returns why it cannot be. */
export async function takeOver(context: LaneContext, run: Run, lane: LaneView, sha: string) {
  const tree = await checkedOutTree(context, lane);
  if (tree?.isDirty) return `the tree of lane ${lane.key} has changes`;
  return moveBranch(context, run, lane, { to: sha, tree: tree?.path });
}

/** The lane's worktree, if its branch is checked out there. */
async function checkedOutTree({ env }: LaneContext, lane: LaneView) {
  const path = lane.worktree;
  if (path === null || !existsSync(path)) return undefined;
  const git = gitIn(path, env);
  const head = await git.maybe(['symbolic-ref', '--quiet', 'HEAD'], [1, 128]);
  if (head?.trim() !== laneBranch(lane)) return undefined;
  const { changes } = await readStatus(git);
  return { path, isDirty: changes.length > 0 };
}

/** Moves a branch, with its files if it is checked out. @returns why it cannot be moved, as a clause. */
async function moveBranch(
  context: LaneContext,
  run: Run,
  lane: Lane,
  { to, tree }: { readonly to: string; readonly tree: string | undefined },
): Promise<string | undefined> {
  const { env } = context;
  const git = gitOfRun(context, run);
  const branch = laneBranch(lane);
  const from = lane.headSha ?? '';
  if (tree === undefined && from !== to) await moveRef(git, branch, to, from, 'lanehold: restack');
  const at = await refAt(git, branch);
  // A killed process may have moved it before the note: the same merge is the same commit.
  if (at === to) return undefined;
  if (at !== from || tree === undefined) return `${lane.branch} is not where lanehold left it`;
  const moved = await fastForward(tree, to, env);
  // Otherwise the next commit of the tree would revert these changes.
  if (moved.kind === 'moved') {
    await addSubmodules(gitIn(tree, env), {
      oid: to,
      from: [run.repository, run.commonDir],
      root: tree,
    });
  }
  return moved.kind === 'moved' ? undefined : [moved.why, ...moved.files].join(' ');
}

function noteHead(
  context: LaneContext,
  lane: Lane,
  data: { readonly sha: string } & Readonly<Record<string, unknown>>,
  andMore: () => void,
): void {
  const { store } = context;
  store.write(() => {
    laneStore(store).setHead(lane.id, data.sha, lane.setupHash);
    andMore();
    addLaneEvent(context, lane, { type: 'lane.restacked', data, by: actorOf(context).name });
  });
}

/**
 * Merges the tip into a refused lane, before its next worker starts, so that the worker sees what its work has to fit,
 * and no history is lost. If git cannot merge, the files have git's markers. Nothing happens if the lane contains the
 * tip.
 *
 * @param commit commits changes in the lane's tree, so that the merge includes them.
 * @returns why it is not merged, as a clause.
 */
export async function mergeTip(
  context: LaneContext,
  run: Run,
  { id }: Pick<Lane, 'id'>,
  commit: () => Promise<void>,
): Promise<string | undefined> {
  const lanes = laneStore(context.store);
  const before = lanes.byId(id);
  if (before?.headSha == null || lastRefusal(context, run, before) === undefined) return undefined;
  const git = gitOfRun(context, run);
  const { tip } = await tipOf(context, run, git);
  if (tip === undefined || (await isAncestor(git, tip, before.headSha))) return undefined;
  const tree = await checkedOutTree(context, before);
  // A lane that another machine works on has no tree here.
  if (tree === undefined && before.worktree !== null) {
    return `${before.branch} is not checked out in the lane's tree`;
  }
  if (tree?.isDirty) await commit();
  const lane = lanes.byId(id);
  if (lane?.headSha == null) return undefined;
  const message = `Merge what is integrated into lane ${lane.key}`;
  const sides = { ours: lane.headSha, theirs: tip, message };
  const { tree: merged, conflicts } = await mergeTrees(git, sides.ours, sides.theirs);
  const sha = await signed(git, await commitMerge(git, merged, sides));
  const why = await moveBranch(context, run, lane, { to: sha, tree: tree?.path });
  if (why !== undefined) return why;
  // The lane's changes, and what has to pass, are compared with the tip from now on.
  noteHead(context, lane, { sha, tip, conflicts }, () => lanes.setBase(id, tip));
  return undefined;
}

/** Files of a lane's commit with markers of that merge. */
export async function leftMarkers(context: LaneContext, run: Run, lane: Lane, sha: string) {
  const refused = lastRefusal(context, run, lane)?.row.laneSha;
  if (refused === undefined) return [];
  const git = gitOfRun(context, run);
  // These are the sides of the lane's last merge since its refusal.
  const merges = ['rev-list', '--first-parent', '--merges', '--parents', '-1'];
  const last = (await git.text([...merges, `${refused}..${sha}`, '--'])).trim();
  const [, ours, theirs] = last.split(' ');
  if (ours === undefined || theirs === undefined) return [];
  const { conflicts } = await mergeTrees(git, ours, theirs);
  if (conflicts.length === 0) return [];
  const markers = ['-e', `<<<<<<< ${ours}`, '-e', `>>>>>>> ${theirs}`];
  const args = ['--literal-pathspecs', 'grep', '-lzF', ...markers, sha, '--', ...conflicts];
  const found = splitNul((await git.maybe(args, [1])) ?? '');
  return found.map((it) => it.slice(sha.length + 1));
}

/** The lanes and everything that they need: dependencies first, else in the order of `lane add`. */
export function withNeeds(store: Store, run: Run, wanted: readonly LaneView[]): LaneView[] {
  const lanes = laneStore(store);
  const left = new Map(lanes.ofRun(run.id).map((lane) => [lane.id, lane]));
  const needs = Map.groupBy(lanes.depsOfRun(run.id), ({ laneId }) => laneId);
  const visit = (id: string): LaneView[] => {
    const lane = left.get(id);
    left.delete(id);
    if (lane === undefined) return [];
    const before = needs.get(id) ?? [];
    return [...before.flatMap(({ needsLaneId }) => visit(needsLaneId)), lane];
  };
  return wanted.toSorted((a, b) => a.position - b.position).flatMap(({ id }) => visit(id));
}
