/** Waits until lanes are no longer at work, and reports those that are not done. */
import { setTimeout as delay } from 'node:timers/promises';
import { readBoard } from '../../lanes/look/board.ts';
import { isStopped, nextCommands, noteOn } from '../../lanes/look/note.ts';
import type { LaneContext } from '../../lanes/spec/context.ts';
import { is } from '../../lanes/spec/lane-states.ts';
import { reconcile } from '../../lanes/start/reconcile.ts';
import { isOpen } from '../../lanes/start/start.ts';
import { type Attempt, attemptStore } from '../../store/attempts.ts';
import { type LaneView, laneStore, type Run, runStore } from '../../store/lanes.ts';
import { teamLaneStore } from '../../store/offered-lanes.ts';
import { reconcileTeam } from './team-lanes.ts';

const LOOK_MS = 50;
const LOOKS = 5;
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
  const [first] = read();
  const run = first && runStore(context.store).byId(first.runId);
  if (run === undefined) return {};
  const live = () => attemptStore(context.store).liveOfRun(run.id);
  const team = teamLaneStore(context.store);
  const isElsewhere = (views: readonly LaneView[]) =>
    views.some(({ id, intent }) => intent === 'run' && isOpen(team.of(id)));
  const moves = (views: readonly LaneView[]) => {
    const isOwn = ({ laneId }: Pick<Attempt, 'laneId'>) => laneIds.includes(laneId);
    return live().some((it) => isOwn(it) || views.some(mayStart)) || isElsewhere(views);
  };
  const show = teller(tell);
  let reconciledAt = performance.now();
  for (;;) {
    const views = read();
    // Lanes that get on here have supervisors, which start the next ones.
    if (show(views) && !isElsewhere(views)) reconciledAt = performance.now();
    if (!moves(views)) {
      // The process that should have started the next lane may have been killed.
      const { started, takenOver, waiting } = await reconcile(context, run);
      const begun = new Set([...started, ...takenOver]);
      // Another process may have started it before this reconcile.
      if (!views.some(({ key }) => begun.has(key)) && !moves(read())) return waiting;
    }
    await pause(() => live().length > 0);
    if (performance.now() - reconciledAt < TICK_MS) continue;
    reconciledAt = performance.now();
    await reconcileTeam(context, run, tell);
  }
}

/** A ready or waiting lane starts while an attempt of its run is live. */
const mayStart = ({ state }: LaneView): boolean => state === 'ready' || state === 'waiting';

/** Looks at what lanes do now and then, and notices the end of the last attempt at once. */
async function pause(isAtWork: () => boolean): Promise<void> {
  for (let looks = 0; looks === 0 || (looks < LOOKS && isAtWork()); looks += 1)
    await delay(LOOK_MS);
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

/** The lanes of a wait that are not done, and what helps them. */
export type Remainder = Omit<Awaited<ReturnType<typeof untilDone>>, 'waiting'>;

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
) {
  const before = new Map(awaited.map(({ id, state }) => [id, state]));
  const waiting = await untilIdle(context, [...before.keys()], tell);
  const board = readBoard(context, run, waiting);
  const status = `lanehold orchestrate status${board.runOption}`;
  const notDone = board.lanes
    .filter((lane) => before.has(lane.id) && (!is('settled', lane.state) || isStopped(lane)))
    // A lane that was cancelled before the wait, or for another try of its task, is not reported.
    .filter((it) => it.state !== 'cancelled' || !(before.get(it.id) === it.state || it.rivals[0]))
    .map((lane) => {
      const commands = nextCommands(board, lane);
      return {
        key: lane.key,
        state: lane.state,
        /** Verified, with a flag that stops it. */
        isStopped: isStopped(lane),
        why: noteOn(lane, board.at),
        next: commands.length === 0 ? [status] : commands,
      };
    });
  const [only, ...others] = notDone;
  // The command to continue with; `null` if everything is done.
  const next = others.length > 0 ? status : (only?.next[0] ?? null);
  return { waiting, notDone, next };
}
