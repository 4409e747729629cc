/** Resolves the worker of a lane: its agent, its model, and the account that pays for it. */
import { ExplainedError } from '../errors.ts';
import { type LaneView, laneStore } from '../store/lanes.ts';
import type { Run } from '../store/runs.ts';
import type { LaneContext } from './context.ts';
import { settingsFor } from './settings-for.ts';
import type { ResolvedWorker } from './start.ts';
import { findWorker } from './workers/registry.ts';

/** @throws {ExplainedError} if there is no such worker. */
export async function resolveWorker(
  context: LaneContext,
  run: Run,
  lane: LaneView,
): Promise<ResolvedWorker> {
  const settings = await settingsFor(context, run.repository);
  const worker = findWorker(lane.spec.agent, settings);
  return {
    agent: worker.name,
    model: lane.spec.model ?? worker.settings.model,
    account: worker.settings.account ?? worker.adapter.account(context.env),
    isMetered: worker.settings.account !== undefined || worker.adapter.name !== 'command',
    settings,
  };
}

/** Stores the login of this environment, which the lane's worker will use wherever it is started. */
export async function keepLogin(context: LaneContext, run: Run, lane: LaneView): Promise<void> {
  const account = await accountHere(context, run, lane);
  context.store.write(() => laneStore(context.store).setAccount(lane.id, account));
}

async function accountHere(context: LaneContext, run: Run, lane: LaneView): Promise<string | null> {
  try {
    return (await resolveWorker(context, run, lane)).account;
  } catch (error) {
    // A missing worker is reported when the lane starts.
    if (error instanceof ExplainedError) return null;
    throw error;
  }
}
