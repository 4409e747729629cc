/** Waits until lanes are no longer at work; runs ticks meanwhile. */
import { setTimeout as delay } from 'node:timers/promises';
import { attemptStore, isLive } from '../store/attempts.ts';
import { type LaneView, laneStore } from '../store/lanes.ts';
import type { LaneContext } from './context.ts';
import { type TickReport, tick } from './tick.ts';

const POLL_MS = 250;
const TICK_MS = 2_000;

/**
 * A lane that is ready, or waits for a live one, counts as at work, since it will start.
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
  const works = (views: readonly LaneView[]) => views.some((lane) => isAtWork(context, lane));
  const show = teller(tell);
  let tickedAt = performance.now();
  for (;;) {
    const views = read();
    show(views);
    if (!works(views) && !somethingMoves(context, views)) {
      // The process that should have started the next lane may have been killed.
      const report = await tick(context, runOf(views));
      // Another process may have started it before this tick.
      if (!mayStart(report, views) && !works(read())) return report.waiting;
    }
    await delay(POLL_MS);
    if (performance.now() - tickedAt < TICK_MS) continue;
    tickedAt = performance.now();
    await tick(context);
  }
}

/** Reports changes of state, but not the initial states. */
function teller(tell: (line: string) => void): (views: readonly LaneView[]) => void {
  const shown = new Map<string, string>();
  return (views) => {
    for (const { id, key, state } of views) {
      const before = shown.get(id);
      if (before !== undefined && before !== state) tell(`${key}: ${state}`);
      shown.set(id, state);
    }
  };
}

function runOf([first]: readonly LaneView[]): { readonly id: string } | undefined {
  return first === undefined ? undefined : { id: first.runId };
}

function mayStart({ started, takenOver }: TickReport, views: readonly LaneView[]): boolean {
  return views.some(({ key }) => started.includes(key) || takenOver.includes(key));
}

function isAtWork(context: LaneContext, lane: LaneView): boolean {
  const attempt = attemptStore(context.store).lastOf(lane);
  return attempt !== undefined && isLive(attempt);
}

/** Whether some lanes will still start: ready and waiting ones do while an attempt of the run is live. */
function somethingMoves(context: LaneContext, views: readonly LaneView[]): boolean {
  const [first] = views;
  if (first === undefined || !views.some(({ state }) => state === 'ready' || state === 'waiting')) {
    return false;
  }
  return attemptStore(context.store).liveOfRun(first.runId).length > 0;
}
