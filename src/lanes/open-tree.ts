/** The worktree of a lane, made if it is not there. */
import { projectPlace } from '../project/identity.ts';
import { checkpointStore } from '../store/checkpoints.ts';
import { type LaneView, laneStore } from '../store/lanes.ts';
import type { Run } from '../store/runs.ts';
import { dependencyBase } from './integration/dependency-base.ts';
import { locksOf, worktreesRoot } from './places.ts';
import { settingsFor } from './settings-for.ts';
import { ensureWorktree } from './worktree/create.ts';
import { worktreePlace } from './worktree/place.ts';
import { restoreInto } from './worktree/restore.ts';
import type { LaneWorld } from './world.ts';

/** @throws {ExplainedError} if something that is not the lane's lies there. */
export async function openTree(world: LaneWorld, run: Run, lane: LaneView): Promise<string> {
  if (lane.adopted && lane.worktree !== null) return lane.worktree;
  const { store, env } = world;
  const { worktrees } = await settingsFor(world, run.repository);
  const root = worktreesRoot(store.home, worktrees);
  const repository = projectPlace(run.repository);
  const path = lane.worktree ?? worktreePlace({ root, repository, run: run.name, lane: lane.key });
  const { created } = await ensureWorktree({
    repository,
    root,
    path,
    branch: lane.branch,
    sha: lane.headSha ?? lane.baseSha ?? (await dependencyBase(world, run, lane)).sha,
    attempt: lane.attemptId ?? lane.id,
    branchOwner: lane.worktree === null ? 'nobody' : 'lane',
    locks: locksOf(store.home),
    env,
  });
  const last = checkpointStore(store).last(lane.id);
  if (created && last !== undefined) await restoreInto(path, last.sha, env);
  store.write(() => laneStore(store).setWorktree(lane.id, path));
  return path;
}
