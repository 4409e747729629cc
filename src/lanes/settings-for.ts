import { worktreeRegistry } from '../features/registry.ts';
import { userLanes } from '../features/user-config.ts';
import { workspaceOn } from '../features/workspace.ts';
import { projectPlace } from '../project/identity.ts';
import { type LaneSettings, laneSettings } from './workers/settings.ts';
import type { LaneWorld } from './world.ts';

/**
 * How lanes work in the repository that contains `directory`: its `lanehold.json` and the user's own
 * settings. A bare repository has no file of its own.
 *
 * @throws {ExplainedError} if one of them cannot be read: nothing starts by guessed settings.
 */
export async function settingsFor(
  { store, env, now }: LaneWorld,
  directory: string,
): Promise<LaneSettings> {
  const workspace = workspaceOn(store, projectPlace(directory), env, now);
  const registry = await worktreeRegistry(workspace);
  return laneSettings(registry.lanes, await userLanes(store.home));
}
