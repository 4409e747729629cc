/** Who works on a lane, and whose account pays for it. */
import type { LaneView } from '../store/lanes.ts';
import type { Run } from '../store/runs.ts';
import { settingsFor } from './settings-for.ts';
import type { Hire } from './start.ts';
import { findWorker } from './workers/registry.ts';
import type { LaneWorld } from './world.ts';

/** @throws {ExplainedError} if there is no such worker. */
export async function hireFor(world: LaneWorld, run: Run, lane: LaneView): Promise<Hire> {
  const settings = await settingsFor(world, run.repository);
  const worker = findWorker(lane.spec.agent, settings);
  return {
    agent: worker.name,
    model: lane.spec.model ?? worker.settings.model,
    account: worker.settings.account ?? worker.adapter.account(world.env),
    settings,
  };
}
