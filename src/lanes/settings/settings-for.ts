/** The settings of lanes in a repository, and the worker that a lane gets by them. */
import { REGISTRY_FILE } from '../../base/config/feature.ts';
import { userLanes } from '../../base/config/user-config.ts';
import { attempt, ExplainedError } from '../../base/errors.ts';
import { gitIn } from '../../base/git/git.ts';
import { projectPlace } from '../../base/git/project.ts';
import { registryReader } from '../../features/registry.ts';
import { workspaceOn } from '../../features/workspace.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../spec/context.ts';
import { isUsedUp, type ResolvedWorker } from '../start/start.ts';
import { keepEnvironment, laneEnvironment } from './lane-environment.ts';
import { findWorker, routeAgent, type Worker } from './registry.ts';
import { type LaneSettings, laneSettings } from './settings.ts';

/**
 * The settings of lanes in a repository: its `lanehold.json`, and those of the user. A bare repository has
 * no such file. Of `accept`, only what the run's base has too counts: an agent in the main checkout could
 * add to the file.
 *
 * @throws {ExplainedError} if one of them cannot be read: nothing starts with guessed settings.
 */
export async function settingsFor(
  { store, env, now }: LaneContext,
  { repository, baseSha }: Pick<Run, 'repository'> & Partial<Pick<Run, 'baseSha'>>,
): Promise<LaneSettings> {
  const workspace = workspaceOn(store, projectPlace(repository), env, now);
  const registries = await registryReader(workspace);
  const { lanes } = await registries.worktree();
  if (baseSha === undefined || lanes.accept === undefined) {
    return laneSettings(lanes, await userLanes(store.home));
  }
  const text = await gitIn(repository, env).maybe(['show', `${baseSha}:${REGISTRY_FILE}`], [128]);
  const { accept: begun = [] } = (await registries.base(text)).lanes;
  const accept = lanes.accept.filter((kind) => begun.includes(kind));
  return laneSettings({ ...lanes, accept }, await userLanes(store.home));
}

/**
 * The worker of a lane, or the opposite one where the run goes on with that because the account is used up.
 *
 * @throws {ExplainedError} if there is no such worker.
 */
export async function resolveWorker(
  context: LaneContext,
  run: Run,
  lane: LaneView,
): Promise<ResolvedWorker> {
  const settings = await settingsFor(context, run);
  const env = laneEnvironment(context, lane.id);
  const resolved = ({ name: agent, settings: own, adapter }: Worker, model = own.model) => ({
    ...{ agent, model, settings, account: own.account ?? adapter.account(env) },
    isMetered: own.account !== undefined || adapter.name !== 'command',
  });
  const worker = findWorker(lane.spec.agent, settings);
  const own = resolved(worker, lane.spec.model);
  if (run.policy.onLimit !== 'opposite' || !isUsedUp(context, own.account)) return own;
  const name = settings.opposite.get(worker.name) ?? settings.opposite.get(worker.adapter.name);
  if (name === undefined) return own;
  // One that is not installed cannot help.
  return attempt(() => resolved(routeAgent(name, undefined, settings, env))) ?? own;
}

/** Stores this environment and its login, which the lane's worker will have wherever it is started. */
export async function keepLogin(context: LaneContext, run: Run, lane: LaneView): Promise<void> {
  keepEnvironment(context, lane.id);
  const worker = await resolveWorker(context, run, lane).catch((error) => {
    // A missing worker is reported when the lane starts.
    if (!(error instanceof ExplainedError)) throw error;
  });
  context.store.write(() => laneStore(context.store).setAccount(lane.id, worker?.account ?? null));
}
