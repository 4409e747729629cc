/** The working trees of lanes: adopts an existing one, opens one, validates its content. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { actorOf } from '../../agents/actor.ts';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { projectPlace } from '../../base/git/project.ts';
import { readStatus } from '../../base/git/repository-snapshot.ts';
import { plural } from '../../base/text/printable.ts';
import type { LaneContext } from '../../lanes/spec/context.ts';
import { assertIdle, editLane } from '../../lanes/spec/edit.ts';
import { markAdopted } from '../../lanes/spec/lane-mark.ts';
import { stateClause } from '../../lanes/spec/lane-states.ts';
import { endWords } from '../../lanes/spec/outcomes.ts';
import { baseOf } from '../../lanes/stand/dependencies.ts';
import { launchSupervisor } from '../../lanes/start/launch.ts';
import { startAttempt, treeFor } from '../../lanes/start/start.ts';
import { readyLaneTree } from '../../lanes/tree/lane-tree.ts';
import { attemptStore } from '../../store/attempts.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { type LaneView, laneStore, type Run } from '../../store/lanes.ts';
import type { AppContext } from '../context.ts';
import { untilIdle } from './lane-waiting.ts';
import { createLane, type LaneWish, openLane, type SpecWish } from './lanes.ts';
import { openRun } from './open-run.ts';

/**
 * Adopts an existing worktree as a lane: judged like every other lane, never removed by lanehold.
 *
 * @throws {UsageError} if it is not a linked worktree of the run's repository, on a branch.
 */
export async function adoptLane(
  context: AppContext,
  wish: SpecWish & { readonly worktree: string },
) {
  const { laneContext, run } = await openRun(context, wish.run);
  const place = projectPlace(resolve(context.cwd, wish.worktree));
  if (place.identity !== run.commonDir || place.kind !== 'git') {
    throw new UsageError(`${place.root} is no worktree of this repository`, {
      hint: 'see `git worktree list`',
    });
  }
  if (place.root === run.repository) {
    throw new UsageError('the main checkout cannot be a lane', {
      hint: 'make a worktree for the work: `git worktree add ../work -b work`',
    });
  }
  const git = gitIn(place.root, laneContext.env);
  const headSha = (await git.text(['rev-parse', 'HEAD'])).trim();
  const branch = (await git.maybe(['symbolic-ref', '--quiet', '--short', 'HEAD']))?.trim();
  if (branch === undefined) {
    throw new UsageError(`no branch is checked out in ${place.root}`, {
      hint: 'make one there: `git switch -c <name>`',
    });
  }
  const baseSha = (await git.text(['merge-base', run.baseSha, headSha])).trim();
  const adopted = { worktree: place.root, branch, headSha, baseSha };
  const { lane } = await createLane(context, { ...wish, adopted, start: false });
  const { changes } = await readStatus(git);
  // From now on, hooks keep the work in this tree within the lane's limits.
  if (place.gitDir !== undefined) markAdopted(place.gitDir, lane.id);
  return { lane, uncommitted: changes.length };
}

/**
 * The folder of a lane's worktree, which is made if it is missing.
 *
 * @throws {ExplainedError} if something else is at its path.
 */
export async function openLaneWorktree(context: AppContext, wish: LaneWish) {
  const { laneContext, run, lane, again, settings } = await openLane(context, wish);
  if (lane.adopted && lane.worktree !== null) return { worktree: lane.worktree, lane };
  const { worktrees } = await settings();
  const path = treeFor(laneContext, run, lane, worktrees);
  await readyLaneTree(laneContext, run, {
    lane,
    path,
    sha: lane.headSha ?? (await baseOf(laneContext, run, lane)),
    attempt: lane.attemptId ?? lane.id,
    worktrees,
  });
  const { store } = laneContext;
  store.write(() => laneStore(store).setWorktree(lane.id, path));
  return { worktree: path, lane: again() };
}

/** Lets a lane change more files, and validates its work again. */
export async function widenLane(
  context: AppContext,
  { touches: added, ...wish }: LaneWish & { readonly touches: readonly string[] },
) {
  const { laneContext, run, lane: before } = await openLane(context, wish);
  const touches = [...new Set([...before.spec.touches, ...added])];
  const change = { spec: { ...before.spec, touches }, type: 'lane.widened' } as const;
  const lane = editLane(laneContext, run, wish.key, { ...change, by: actorOf(context).name });
  // There is nothing to validate yet.
  if (lane.headSha === null) return { data: { lane }, text: undefined };
  return validated(laneContext, run, lane, context.progress);
}

/** Takes the content of a lane's worktree and validates it, without a worker. */
export async function verifyLane(context: AppContext, wish: LaneWish) {
  const { laneContext, run, lane } = await openLane(context, wish);
  return validated(laneContext, run, lane, context.progress);
}

/** @throws {ExplainedError} if an attempt is live, or the lane cannot be validated now. */
async function validated(
  context: LaneContext,
  run: Run,
  lane: LaneView,
  tell: (line: string) => void,
) {
  assertIdle(context, lane);
  const { worktree, branch, headSha } = lane;
  const isThere = worktree !== null && existsSync(worktree);
  const files = isThere ? (await readStatus(gitIn(worktree, context.env))).changes.length : 0;
  const started = startAttempt(context, run, { lane, kind: 'validate', worker: undefined });
  if (started.kind === 'not-now') {
    throw new ExplainedError(`lane ${lane.key} cannot be verified now: ${started.why}`, {
      hint: 'see `lanehold orchestrate status`',
    });
  }
  launchSupervisor(context, started.attempt);
  tell(`Verifying lane ${lane.key} …`);
  await untilIdle(context, [lane.id], tell);
  const after = laneStore(context.store).byId(lane.id) ?? lane;
  const attempt = attemptStore(context.store).byId(started.attempt.id);
  const validation = laneValidationStore(context.store)
    .ofLane(lane.id)
    .findLast(({ attemptId }) => attemptId === started.attempt.id);
  const reason = attempt === undefined ? '' : endWords(attempt);
  const text =
    after.state === 'verified'
      ? `Lane ${lane.key} is verified at ${after.headSha?.slice(0, 12)}`
      : `Lane ${lane.key} ${stateClause(after.state)}: ${reason}\nSee: lanehold orchestrate logs ${lane.key}`;
  const isCommitted = files > 0 && after.headSha !== headSha;
  const said = isCommitted ? `Committed ${plural(files, 'changed file')} on ${branch}\n` : '';
  return { data: { lane: after, validation }, text: `${said}${text}` };
}
