/** The worktree of a lane, created if missing. */
import { projectPlace } from '../git/project.ts';
import { type LaneView, laneStore } from '../store/lanes.ts';
import type { Run } from '../store/runs.ts';
import type { LaneContext } from './context.ts';
import { dependencyBase } from './integration/dependency-base.ts';
import { readyLaneTree } from './lane-tree.ts';
import { worktreesRoot } from './paths.ts';
import { settingsFor } from './settings-for.ts';
import { worktreePlace } from './worktree/place.ts';

/** @throws {ExplainedError} if its path holds something that is not the lane's. */
export async function openTree(context: LaneContext, run: Run, lane: LaneView): Promise<string> {
  if (lane.adopted && lane.worktree !== null) return lane.worktree;
  const { store } = context;
  const { worktrees } = await settingsFor(context, run.repository);
  const root = worktreesRoot(store.home, worktrees);
  const repository = projectPlace(run.repository);
  const path = lane.worktree ?? worktreePlace({ root, repository, run: run.name, lane: lane.key });
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
