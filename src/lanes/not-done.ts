/** Which lanes have not come out well once nobody works on them any more, and what helps them on. */
import type { LaneState, LaneView } from '../store/lanes.ts';
import type { Run } from '../store/runs.ts';
import { readBoard } from './board/board.ts';
import { nextCommands } from './board/next-commands.ts';
import { noteOn } from './board/note.ts';
import type { LaneContext } from './context.ts';

export interface NotDone {
  readonly key: string;
  readonly state: LaneState;
  readonly why: string;
  /** Commands, in the order in which one would try them. */
  readonly next: readonly string[];
}

export interface Remainder {
  readonly notDone: readonly NotDone[];
  /** The one command to go on with; `null` if all is done. */
  readonly next: string | null;
}

/**
 * @param awaited as they were when the waiting began.
 * @param waiting why lanes that could start have not.
 */
export function remainder(
  context: LaneContext,
  run: Run,
  {
    awaited,
    waiting,
  }: {
    readonly awaited: readonly Pick<LaneView, 'id' | 'state'>[];
    readonly waiting: Readonly<Record<string, string>>;
  },
): Remainder {
  const board = readBoard(context, run, waiting);
  const status = `lanehold orchestrate status${board.runOption}`;
  const before = new Map(awaited.map(({ id, state }) => [id, state]));
  const notDone = board.lanes
    .filter(({ id, state }) => !isDone(state, before.get(id)))
    .map((lane): NotDone => {
      const helps = nextCommands(board, lane);
      return {
        key: lane.key,
        state: lane.state,
        why: noteOn(lane, board.at),
        next: helps.length === 0 ? [status] : helps,
      };
    });
  const [only, ...others] = notDone;
  const next = others.length > 0 ? status : (only?.next[0] ?? null);
  return { notDone, next };
}

/** @param before `undefined` for a lane that nobody waits for. */
function isDone(state: LaneState, before: LaneState | undefined): boolean {
  if (before === undefined) return true;
  switch (state) {
    case 'verified':
    case 'integrating':
    case 'integrated':
    case 'landed':
      return true;
    case 'planned':
      // Nobody has asked for it.
      return true;
    case 'cancelled':
      // What was given up long ago keeps nobody from going on; what just was, nobody will deliver.
      return before === 'cancelled';
    case 'failed':
    case 'conflict':
    case 'culprit':
    case 'stale':
    case 'asks':
    case 'parked':
    case 'blocked':
    case 'waiting':
    case 'ready':
      return false;
    case 'starting':
    case 'running':
    case 'validating':
      // Somebody has started it again.
      return false;
  }
}
