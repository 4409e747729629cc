import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneWorld } from '../world.ts';
export async function dependencyBase(
  world: LaneWorld,
  run: Run,
  lane: LaneView,
): Promise<{ sha: string; used: { needsLaneId: string; sha: string }[] }> {
  const lanes = laneStore(world.store);
  const used = lanes
    .depsOf(lane.id)
    .map(({ needsLaneId }) => ({ needsLaneId, sha: lanes.byId(needsLaneId)?.headSha ?? '' }));
  return { sha: used[0]?.sha ?? run.baseSha, used };
}
