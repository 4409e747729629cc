/** Lanes that other machines of the team work on. Nothing of a team is loaded for a run without any. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { actorOf } from '../../agents/actor.ts';
import { explained } from '../../base/errors.ts';
import { privateFolder } from '../../base/files/home.ts';
import { programFile } from '../../base/files/package.ts';
import { probeLock } from '../../base/process/held-lock.ts';
import { startDetached } from '../../base/process/run.ts';
import { lockFile, whileFree } from '../../base/process/with-lock.ts';
import type { SharedTip } from '../../lanes/queue/round.ts';
import type { LaneContext } from '../../lanes/spec/context.ts';
import { editLane } from '../../lanes/spec/edit.ts';
import { reconcile } from '../../lanes/start/reconcile.ts';
import { isOpen } from '../../lanes/start/start.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { type LaneView, type Run, runStore } from '../../store/lanes.ts';
import { teamLaneStore } from '../../store/offered-lanes.ts';
import type { Store } from '../../store/open.ts';

export function placeLane(context: LaneContext, run: Run, { key, spec }: LaneView, on: string) {
  const by = actorOf(context).name;
  if (spec.on === on) return;
  editLane(context, run, key, { spec: { ...spec, on }, by, type: 'lane.edited' });
}

type Told = (line: string) => void;

/** The limit for the board while somebody waits. */
const LIMIT_MS = 5_000;

/** Whether other machines have, or had, lanes of the run, as far as its home does not know their end. */
export function isShared(store: Store, run: Run): boolean {
  const team = teamLaneStore(store);
  const isOver = run.intent === 'closed' || run.intent === 'cancelled';
  return team.ofRun(run.id).some(isOpen) || (!isOver && team.runOf(run.id) !== undefined);
}

/**
 * Starts what is due, here and on other machines, and takes over what those have done.
 *
 * @returns the result of the reconcile.
 */
export async function reconcileTeam(context: LaneContext, run: Run, tell: Told) {
  const report = await reconcile(context, run);
  const hasChanged = await tendTeam(context, run, tell);
  launchTeam(context, run);
  if (!hasChanged) return report;
  // Needs of others may be verified now.
  const again = await reconcile(context, run);
  await tendTeam(context, run, tell);
  return { ...again, started: [...report.started, ...again.started] };
}

/** Exchanges a run with the board. A failure is only told. @returns whether a lane has changed. */
export async function tendTeam(context: LaneContext, of: Run, tell: Told): Promise<boolean> {
  const run = runStore(context.store).byId(of.id) ?? of;
  if (!isShared(context.store, run)) return false;
  try {
    const { exchangeRun } = await import('../../team/home/exchange.ts');
    return await exchangeRun(context, run, LIMIT_MS);
  } catch (error) {
    tell(`lanes on other machines are as they were heard last: ${explained(error).message}`);
    return false;
  }
}

/** What another machine has brought after its claim was over. @throws {ExplainedError} if there is nothing. */
export async function lateWorkOf(context: LaneContext, run: Run, lane: LaneView) {
  const { fetchLate } = await import('../../team/home/exchange.ts');
  return fetchLate(context, run, lane, LIMIT_MS);
}

/** The tip that other machines have as well; `undefined` for a run of this machine alone. */
export async function tipOfTeam(context: LaneContext, run: Run): Promise<SharedTip | undefined> {
  if (!isShared(context.store, run)) return undefined;
  const { sharedTip } = await import('../../team/home/tip.ts');
  return sharedTip(context, run);
}

/** Deletes refs on the remote of a run that had ended by then. @returns their full names; none if it fails. */
export async function dropTeamRefs(
  context: LaneContext,
  run: Run,
  { mode, endedBy }: { readonly mode: 'remove' | 'dry-run'; readonly endedBy: Date },
): Promise<readonly string[]> {
  const events = laneEventStore(context.store);
  const ended = events.last(run.id, `run.${run.intent}`);
  const isOver = run.intent === 'closed' || run.intent === 'cancelled';
  if (!isOver || !teamLaneStore(context.store).runOf(run.id)) return [];
  if (ended === undefined || ended.at > endedBy) return [];
  const { dropRefs } = await import('../../team/home/exchange.ts');
  return dropRefs(context, run, mode).catch(() => []);
}

const lockOf = ({ home }: Store, projectId: number): string =>
  lockFile(home.locks, 'team', `${projectId}`);

/** Starts a process that exchanges runs as long as other machines have lanes, unless there is one. */
export function launchTeam({ store, env }: LaneContext, run: Run): void {
  if (env.LANEHOLD_BACKGROUND === 'off' || env.LANEHOLD_ATTEMPT) return;
  if (!teamLaneStore(store).ofRun(run.id).some(isOpen)) return;
  if (probeLock(lockOf(store, run.projectId)) === 'held') return;
  startDetached(process.execPath, [programFile(), 'orchestrate', 'sync', '--team', '--quiet'], {
    cwd: run.repository,
    env: { ...env, LANEHOLD_HOME: store.home.root },
    logFile: join(privateFolder(store.home.logs), 'team.log'),
  });
}

const PAUSE = { leastMs: 2_000, mostMs: 30_000, factor: 1.3 };

interface Following {
  readonly tell: Told;
  readonly show: () => Promise<unknown>;
}

/** Exchanges the runs of a project until no other machine has a lane. One process at a time does it. */
export async function followTeam(context: LaneContext, projectId: number, of: Following) {
  await whileFree(lockOf(context.store, projectId), async () => {
    let pauseMs = PAUSE.leastMs;
    for (let isFirst = true; ; isFirst = false) {
      const hasChanged = await exchangeOpen(context, projectId, of.tell);
      if (hasChanged === undefined) return;
      if (hasChanged || isFirst)
        await of.show().catch((error) => of.tell(explained(error).message));
      pauseMs = hasChanged ? PAUSE.leastMs : Math.min(pauseMs * PAUSE.factor, PAUSE.mostMs);
      await sleep(pauseMs);
    }
  });
}

/** @returns whether a lane has changed; `undefined` if no other machine has one. */
async function exchangeOpen(context: LaneContext, projectId: number, tell: Told) {
  const runs = teamLaneStore(context.store)
    .openRuns(projectId)
    .flatMap((id) => runStore(context.store).byId(id) ?? []);
  if (runs.length === 0) return undefined;
  let hasChanged = false;
  for (const run of runs) {
    const { gitSettings } = await import('../../lanes/tree/git-settings.ts');
    const { env } = await gitSettings(context, run);
    if (await tendTeam({ ...context, env }, run, tell)) hasChanged = true;
    await reconcile({ ...context, env }, run);
  }
  return hasChanged;
}
