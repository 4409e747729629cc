/** The worker of a lane, with its login and its environment. */
import { attempt, ExplainedError } from '../../base/errors.ts';
import { type LaneView, laneStore, type Run } from '../../store/lanes.ts';
import { keepEnvironment, laneEnvironment } from '../settings/lane-environment.ts';
import { findWorker, routeAgent, type Worker } from '../settings/registry.ts';
import type { LaneSettings } from '../settings/settings.ts';
import { settingsFor } from '../settings/settings-for.ts';
import type { LaneContext } from '../spec/context.ts';
import { isUsedUp, type ResolvedWorker } from './accounts.ts';

/**
 * The worker of a lane, or the opposite one if the account is used up and the run continues with that.
 *
 * @throws {ExplainedError} if there is no such worker.
 */
export async function resolveWorker(
  context: LaneContext,
  run: Run,
  lane: LaneView,
  given?: LaneSettings,
): Promise<ResolvedWorker> {
  const settings = given ?? (await settingsFor(context, run));
  const env = laneEnvironment(context, lane.id);
  const resolved = ({ name: agent, settings: own, adapter }: Worker, model = own.model) => ({
    agent,
    model,
    settings,
    account: own.account ?? adapter.account(env),
    isMetered: own.account !== undefined || adapter.name !== 'command',
  });
  const worker = findWorker(lane.spec.agent, settings);
  const own = resolved(worker, lane.spec.model);
  if (run.policy.onLimit !== 'opposite' || !isUsedUp(context, own.account)) return own;
  const name = settings.opposite.get(worker.name) ?? settings.opposite.get(worker.adapter.name);
  if (name === undefined) return own;
  // An agent that is not installed cannot help.
  return attempt(() => resolved(routeAgent(name, undefined, settings, env))) ?? own;
}

/** Stores this environment and its login for the lane's worker, wherever it is started. */
export async function keepLogin(
  context: LaneContext,
  run: Run,
  lane: LaneView,
  settings: LaneSettings,
): Promise<void> {
  keepEnvironment(context, lane.id);
  const worker = await resolveWorker(context, run, lane, settings).catch((error) => {
    // A missing worker is reported when the lane starts.
    if (!(error instanceof ExplainedError)) throw error;
  });
  context.store.write(() => laneStore(context.store).setAccount(lane.id, worker?.account ?? null));
}
