/**
 * One reconcile: restarts supervisors that died, and starts lanes that are due. Any process may run it at
 * any time; running it twice changes nothing, and it never waits for a worker.
 */
import { attemptStore } from '../../store/attempts.ts';
import { type LaneView, laneStore, type Run, runStore } from '../../store/lanes.ts';
import { writeAttemptSettings } from '../settings/attempt-settings.ts';
import type { LaneContext } from '../spec/context.ts';
import { isElsewhere } from '../spec/spec.ts';
import { isToNotify } from '../talk/notify.ts';
import { dueLanes, unattended } from './eligibility.ts';
import { launch, launchPulls, launchSupervisor, NOTIFY, type Take } from './launch.ts';
import { hindrance, notNow, offerLane, startAttempt, waitsFor } from './start.ts';

export type ReconcileReport = Readonly<Awaited<ReturnType<typeof reconcile>>>;

/**
 * @param of reports only lanes of this run; those of all runs are handled.
 * @param take by default every attempt gets a supervisor of its own.
 */
export async function reconcile(context: LaneContext, of?: Pick<Run, 'id'>, take?: Take) {
  const isReported = (runId: string): boolean => of === undefined || of.id === runId;
  const runs = runStore(context.store)
    .openEverywhere()
    .filter(({ id }) => isReported(id));
  const waiting = reasonsToWait(context, runs);
  const { byId } = laneStore(context.store);
  const takenOver = unattended(context)
    .filter((attempt) => launchSupervisor(context, attempt, take))
    .flatMap(({ laneId }) => byId(laneId) ?? [])
    .filter(({ runId }) => isReported(runId))
    .map(({ key }) => key);
  launchPulls(context);
  const started: string[] = [];
  for (const { run, lane } of dueLanes(context)) {
    const outcome = await startOne(context, run, lane);
    if (outcome.kind === 'started') launchSupervisor(context, outcome.attempt, take);
    if (!isReported(run.id)) continue;
    if (outcome.kind === 'started') started.push(lane.key);
    else waiting[lane.key] = outcome.why;
  }
  if (isToNotify(context)) launch(context, NOTIFY);
  return { takenOver, started, waiting };
}

/** Why lanes could not start yet, by key. */
function reasonsToWait({ store }: LaneContext, runs: readonly Run[]): Record<string, string> {
  const reasons: Record<string, string> = {};
  for (const { id: runId } of runs) {
    const lanes = laneStore(store).ofRun(runId);
    const unmet = laneStore(store).unmetOfRun(runId);
    const live = attemptStore(store).liveOfRun(runId);
    const atWork = lanes.filter(({ id }) => live.some(({ laneId }) => laneId === id));
    for (const lane of lanes.filter(({ state }) => state === 'waiting')) {
      reasons[lane.key] = waitsFor(lane, unmet.get(lane.id) ?? [], atWork) ?? '';
    }
  }
  return reasons;
}

async function startOne(context: LaneContext, run: Run, lane: LaneView) {
  const last = attemptStore(context.store).lastOf(lane);
  const isUntried = last === undefined || (last.kind === 'validate' && last.endReason === 'parked');
  // The work of a branch may be enough.
  if (lane.state === 'stale' || (lane.spec.branch !== undefined && isUntried)) {
    return startAttempt(context, run, { lane, kind: 'validate', worker: undefined });
  }
  if (isElsewhere(lane.spec) && lane.state === 'ready') {
    // The board keeps apart those that clash on other machines.
    const here = attemptStore(context.store).liveOfRun(run.id);
    const atWork = here.flatMap(({ laneId }) => laneStore(context.store).byId(laneId) ?? []);
    return notNow(waitsFor(lane, [], atWork) ?? offerLane(context, run, lane));
  }
  // The next attempt repairs rejected work.
  const kind = last?.endReason === 'rejected' ? 'fix' : 'work';
  // The transaction checks this again; here it saves reading the settings for a lane that cannot start.
  const why = hindrance(context, run, lane, kind);
  if (why !== undefined) return notNow(why);
  const { resolveWorker } = await import('./worker.ts');
  const worker = await resolveWorker(context, run, lane).catch((error: Error) => error);
  if (worker instanceof Error) return notNow(worker.message);
  const outcome = startAttempt(context, run, { lane, kind, worker });
  if (outcome.kind === 'started') writeAttemptSettings(outcome.attempt.dir, worker.settings);
  return outcome;
}
