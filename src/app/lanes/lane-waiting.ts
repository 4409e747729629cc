/** Waits until lanes are no longer at work, and reports those that are not done. */
import { setTimeout as delay } from 'node:timers/promises';
import { readBoard } from '../../lanes/look/board.ts';
import { isStopped, nextCommands, noteOn } from '../../lanes/look/note.ts';
import type { LaneContext } from '../../lanes/spec/context.ts';
import { is } from '../../lanes/spec/lane-states.ts';
import { isOpen } from '../../lanes/start/offer.ts';
import { type ReconcileReport, reconcile } from '../../lanes/start/reconcile.ts';
import { attemptStore, isLive } from '../../store/attempts.ts';
import { type LaneState, type LaneView, laneStore } from '../../store/lanes.ts';
import { teamLaneStore } from '../../store/offered-lanes.ts';
import { type Run, runStore } from '../../store/runs.ts';
import { reconcileTeam } from './team-lanes.ts';

const POLL_MS = 250;
const TICK_MS = 2_000;

/**
 * Reconciles while it waits. A lane that is ready, or waits for a live one, counts as at work, since it will start.
 *
 * @param tell receives a line for each change of state.
 * @returns why lanes of the run that could start did not, by key.
 */
export async function untilIdle(
  context: LaneContext,
  laneIds: readonly string[],
  tell: (line: string) => void,
): Promise<Readonly<Record<string, string>>> {
  const lanes = laneStore(context.store);
  const read = () => laneIds.flatMap((id) => lanes.byId(id) ?? []);
  const attempts = attemptStore(context.store);
  const team = teamLaneStore(context.store);
  const works = (views: readonly LaneView[]) => {
    const last = views.flatMap((lane) => attempts.lastOf(lane) ?? []);
    return (
      last.some(isLive) || views.some(({ id, intent }) => intent === 'run' && isOpen(team.of(id)))
    );
  };
  const show = teller(tell);
  let reconciledAt = performance.now();
  for (;;) {
    const views = read();
    // Lanes that get on have supervisors, which start the next ones.
    if (show(views)) reconciledAt = performance.now();
    if (!works(views) && !somethingMoves(context, views)) {
      // The process that should have started the next lane may have been killed.
      const [first] = views;
      const { started, takenOver, waiting } = await reconcile(
        context,
        first && { id: first.runId },
      );
      const begun = new Set([...started, ...takenOver]);
      // Another process may have started it before this reconcile.
      if (!views.some(({ key }) => begun.has(key)) && !works(read())) return waiting;
    }
    await delay(POLL_MS);
    if (performance.now() - reconciledAt < TICK_MS) continue;
    reconciledAt = performance.now();
    const [first] = views;
    const run = first && runStore(context.store).byId(first.runId);
    await (run ? reconcileTeam(context, run, tell) : reconcile(context));
  }
}

/** Reports changes of state, but not the initial states. The function returns whether there were any. */
function teller(tell: (line: string) => void): (views: readonly LaneView[]) => boolean {
  const shown = new Map<string, string>();
  return (views) => {
    const changed = views.filter(({ id, state }) => (shown.get(id) ?? state) !== state);
    for (const { key, state } of changed) tell(`${key}: ${state}`);
    for (const { id, state } of views) shown.set(id, state);
    return changed.length > 0;
  };
}

/** Whether some lanes will still start: ready and waiting ones do while an attempt of the run is live. */
function somethingMoves(context: LaneContext, views: readonly LaneView[]): boolean {
  const [first] = views;
  if (first === undefined || !views.some(({ state }) => state === 'ready' || state === 'waiting')) {
    return false;
  }
  return attemptStore(context.store).liveOfRun(first.runId).length > 0;
}

export interface Remainder {
  readonly notDone: readonly {
    readonly key: string;
    readonly state: LaneState;
    /** Verified, with a flag that stops it. */
    readonly isStopped: boolean;
    readonly why: string;
    readonly next: readonly string[];
  }[];
  /** The command to continue with; `null` if everything is done. */
  readonly next: string | null;
}

/**
 * Waits as `untilIdle` does.
 *
 * @param awaited the lanes before the wait.
 */
export async function untilDone(
  context: LaneContext,
  run: Run,
  awaited: readonly LaneView[],
  tell: (line: string) => void,
): Promise<Remainder & Pick<ReconcileReport, 'waiting'>> {
  const before = new Map(awaited.map(({ id, state }) => [id, state]));
  const waiting = await untilIdle(context, [...before.keys()], tell);
  const board = readBoard(context, run, waiting);
  const status = `lanehold orchestrate status${board.runOption}`;
  const notDone = board.lanes
    .filter((lane) => before.has(lane.id) && (!is('settled', lane.state) || isStopped(lane)))
    // A lane that was cancelled before the wait is not reported.
    .filter(({ id, state }) => state !== 'cancelled' || before.get(id) !== state)
    .map((lane) => {
      const commands = nextCommands(board, lane);
      return {
        key: lane.key,
        state: lane.state,
        isStopped: isStopped(lane),
        why: noteOn(lane, board.at),
        next: commands.length === 0 ? [status] : commands,
      };
    });
  const [only, ...others] = notDone;
  const next = others.length > 0 ? status : (only?.next[0] ?? null);
  return { waiting, notDone, next };
}
