/** Adopts an existing worktree as a lane: judged like every other lane, never removed by lanehold. */
import { resolve } from 'node:path';
import { UsageError } from '../errors.ts';
import { gitIn } from '../git/git.ts';
import { projectPlace } from '../git/project.ts';
import { type LaneSpec, type LaneView, laneStore } from '../store/lanes.ts';
import type { Run } from '../store/runs.ts';
import type { LaneContext } from './context.ts';
import { addLane } from './edit.ts';
import { markAdopted } from './inside/lane-mark.ts';

export interface Adoption {
  readonly key: string;
  readonly spec: LaneSpec;
  readonly priority: number;
  readonly by: string;
  readonly worktree: string;
  readonly cwd: string;
}

/** @throws {UsageError} if it is not a linked worktree of the run's repository, on a branch. */
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
  const lane = addLane(context, run, {
    key: wish.key,
    spec: wish.spec,
    priority: wish.priority,
    by: wish.by,
    adopted: { worktree: place.root, branch, headSha: head },
  });
  const base = (await git.text(['merge-base', run.baseSha, head])).trim();
  context.store.write(() => laneStore(context.store).setBase(lane.id, base));
  // From now on the hooks hold the work in this tree to the lane's limits.
  if (place.gitDir !== undefined) markAdopted(place.gitDir, lane.id);
  return laneStore(context.store).byId(lane.id) ?? lane;
}
