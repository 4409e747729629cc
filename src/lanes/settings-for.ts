import { userLanes } from '../config/user-config.ts';
import { worktreeRegistry } from '../features/registry.ts';
import { workspaceOn } from '../features/workspace.ts';
import { projectPlace } from '../git/project.ts';
import type { LaneContext } from './context.ts';
import { type LaneSettings, laneSettings } from './workers/settings.ts';

/**
 * The settings of lanes in the repository that contains `directory`: its `lanehold.json`, and those of
 * the user. A bare repository has no such file.
 *
 * @throws {ExplainedError} if one of them cannot be read: nothing starts with guessed settings.
 */
export async function settingsFor(
  { store, env, now }: LaneContext,
  directory: string,
): Promise<LaneSettings> {
  const workspace = workspaceOn(store, projectPlace(directory), env, now);
  const registry = await worktreeRegistry(workspace);
  return laneSettings(registry.lanes, await userLanes(store.home));
}
