/** Which awaited lanes are not done when the waiting ends, and the commands that move them on. */
import type { LaneState, LaneView } from '../store/lanes.ts';
import type { Run } from '../store/runs.ts';
import { readBoard } from './board/board.ts';

import { nextCommands, noteOn } from './board/note.ts';
import type { LaneContext } from './context.ts';

export interface NotDone {
  readonly key: string;
  readonly state: LaneState;
  readonly why: string;
  /** Commands, in the order in which to try them. */
  readonly next: readonly string[];
}

export interface Remainder {
  readonly notDone: readonly NotDone[];
  /** The one command to continue with; `null` if everything is done. */
  readonly next: string | null;
}

/**
 * @param awaited their state when the waiting began.
 * @param waiting why lanes that could start did not.
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
      const commands = nextCommands(board, lane);
      return {
        key: lane.key,
        state: lane.state,
        why: noteOn(lane, board.at),
        next: commands.length === 0 ? [status] : commands,
      };
    });
  const [only, ...others] = notDone;
  const next = others.length > 0 ? status : (only?.next[0] ?? null);
  return { notDone, next };
}

/** @param before `undefined` for a lane that was not awaited. */
function isDone(state: LaneState, before: LaneState | undefined): boolean {
  if (before === undefined) return true;
  switch (state) {
    case 'verified':
    case 'integrating':
    case 'integrated':
    case 'landed':
      return true;
    case 'planned':
      // Not requested yet.
      return true;
    case 'cancelled':
      // Cancelled before the waiting began: it was not awaited. Cancelled since: not done.
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
      // Started again in the meantime.
      return false;
  }
}
