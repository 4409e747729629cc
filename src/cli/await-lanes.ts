/** `--wait`: comes back when nobody is at work on the lanes any more, and says how it went. */
import { ExitCode } from '../errors.ts';
import type { LaneContext } from '../lanes/context.ts';
import { type Remainder, remainder } from '../lanes/not-done.ts';
import { untilIdle } from '../lanes/wait.ts';
import type { LaneView } from '../store/lanes.ts';
import type { Run } from '../store/runs.ts';
import { enumerated } from '../text/count.ts';
import type { Context } from './context.ts';

const SHOWN_LANES = 10;

export interface AwaitedLanes {
  readonly exitCode: ExitCode;
  /** Why lanes that could start have not. */
  readonly waiting: Readonly<Record<string, string>>;
  readonly json: Remainder;
  /** Nothing if all is done. */
  readonly lines: readonly string[];
}

export async function awaitLanes(
  context: Context,
  { laneContext, run }: { readonly laneContext: LaneContext; readonly run: Run },
  awaited: readonly LaneView[],
): Promise<AwaitedLanes> {
  const waiting = await untilIdle(
    laneContext,
    awaited.map(({ id }) => id),
    context.progress,
  );
  const json = remainder(laneContext, run, { awaited, waiting });
  const isDone = json.notDone.length === 0;
  return {
    exitCode: isDone ? ExitCode.done : ExitCode.failed,
    waiting,
    json,
    lines: isDone ? [] : [lastLine(json)],
  };
}

function lastLine({ notDone, next }: Remainder): string {
  const lanes = notDone.map(({ key, state }) => `${key} (${state})`);
  return `Not done: ${enumerated(lanes, SHOWN_LANES)}; next: ${next}`;
}
