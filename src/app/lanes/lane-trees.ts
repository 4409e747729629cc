/** Adopts the worktree of a lane, opens it, and validates what is in it. */

import { resolve } from 'node:path';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { projectPlace } from '../../base/git/project.ts';
import { settingsFor } from '../../lanes/settings/settings-for.ts';
import type { LaneContext } from '../../lanes/spec/context.ts';
import { addLane, assertIdle, type NewLane } from '../../lanes/spec/edit.ts';
import { markAdopted } from '../../lanes/spec/lane-mark.ts';
import { endWords } from '../../lanes/spec/outcomes.ts';
import { dependencyBase } from '../../lanes/stand/dependencies.ts';
import { launchSupervisor } from '../../lanes/start/launch-supervisor.ts';
import { startAttempt, treeFor } from '../../lanes/start/start.ts';
import { readyLaneTree } from '../../lanes/tree/lane-tree.ts';
import { attemptStore } from '../../store/attempts.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import { untilIdle } from './lane-waiting.ts';

interface Adoption extends Omit<NewLane, 'adopted'> {
  readonly worktree: string;
  readonly cwd: string;
}

/**
 * Adopts an existing worktree as a lane: judged like every other lane, never removed by lanehold.
 *
 * @throws {UsageError} if it is not a linked worktree of the run's repository, on a branch.
 */
export async function adoptLane(context: LaneContext, run: Run, wish: Adoption): Promise<LaneView> {
  const place = projectPlace(resolve(wish.cwd, wish.worktree));
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
  const git = gitIn(place.root, context.env);
  const head = (await git.text(['rev-parse', 'HEAD'])).trim();
  const branch = (await git.maybe(['symbolic-ref', '--quiet', '--short', 'HEAD']))?.trim();
  if (branch === undefined) {
    throw new UsageError(`no branch is checked out in ${place.root}`, {
      hint: 'make one there: `git switch -c <name>`',
    });
  }
  const { worktree: _, cwd: __, ...added } = wish;
  const adopted = { worktree: place.root, branch, headSha: head };
  const lane = addLane(context, run, { ...added, adopted });
  const base = (await git.text(['merge-base', run.baseSha, head])).trim();
  context.store.write(() => laneStore(context.store).setBase(lane.id, base));
  // The hooks hold the work in this tree to the lane's limits from now on.
  if (place.gitDir !== undefined) markAdopted(place.gitDir, lane.id);
  return laneStore(context.store).byId(lane.id) ?? lane;
}

/** @throws {ExplainedError} if its path holds something that is not the lane's. */
export async function openTree(context: LaneContext, run: Run, lane: LaneView): Promise<string> {
  if (lane.adopted && lane.worktree !== null) return lane.worktree;
  const { store } = context;
  const { worktrees } = await settingsFor(context, run);
  const path = treeFor(context, run, lane, worktrees);
  await readyLaneTree(context, run, {
    lane,
    path,
    sha: lane.headSha ?? lane.baseSha ?? (await dependencyBase(context, run, lane)).sha,
    attempt: lane.attemptId ?? lane.id,
    worktrees,
    branchOwner: lane.worktree === null ? 'none' : 'lane',
  });
  store.write(() => laneStore(store).setWorktree(lane.id, path));
  return path;
}

/** @throws {ExplainedError} if an attempt is live, or the lane cannot be validated now. */
export async function verifyLane(
  context: LaneContext,
  run: Run,
  lane: LaneView,
  tell: (line: string) => void,
) {
  assertIdle(context, lane);
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
      : `Lane ${lane.key} is ${after.state}: ${reason}\nSee: lanehold orchestrate logs ${lane.key}`;
  return { data: { lane: after, validation }, text };
}
