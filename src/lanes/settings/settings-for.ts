/** The settings of lanes in a repository. */
import { REGISTRY_FILE } from '../../base/config/feature.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { projectPlace } from '../../base/git/project.ts';
import { registryReader } from '../../features/registry.ts';
import { workspaceOn } from '../../features/workspace.ts';
import type { Run } from '../../store/lanes.ts';
import type { LaneContext } from '../spec/context.ts';
import type { LaneSettings } from './settings.ts';

/**
 * The settings of lanes in a repository: its `lanehold.json`, and those of the user. A bare repository has no such
 * file. Kinds in `accept` count only if the run's base has them too: an agent in the main checkout could add to the
 * file.
 *
 * @throws {ExplainedError} if one of them cannot be read: nothing starts with guessed settings.
 */
export async function settingsFor(
  { store, env, now }: LaneContext,
  { repository, baseSha }: Pick<Run, 'repository'> & Partial<Pick<Run, 'baseSha'>>,
): Promise<LaneSettings> {
  const git = gitIn(repository, env);
  const workspace = workspaceOn(store, projectPlace(repository), git, now);
  const registries = await registryReader(workspace);
  const { lanes } = await registries.worktree();
  const { userFile } = await import('../../base/config/files.ts');
  const { laneSettings } = await import('./settings.ts');
  const own = userFile(store.home).lanes ?? {};
  if (baseSha === undefined || lanes.accept === undefined) return laneSettings(lanes, own);
  const text = await git.maybe(['show', `${baseSha}:${REGISTRY_FILE}`], [128]);
  const { accept: begun = [] } = (await registries.base(text)).lanes;
  const accept = lanes.accept.filter((kind) => begun.includes(kind));
  return laneSettings({ ...lanes, accept }, own);
}
