import { type Board, countStates } from '../../lanes/board/board.ts';
import { nextCommands } from '../../lanes/board/next-commands.ts';
import { noteOn } from '../../lanes/board/note.ts';
import type { Untrue } from '../../lanes/handoff/check.ts';

/** A board as JSON: complete, with what the table says in words. */
export function boardData(board: Board, untrue: readonly Untrue[]) {
  const { lanes, ...rest } = board;
  return {
    ...rest,
    states: Object.fromEntries(countStates(board)),
    lanes: lanes.map((lane) => ({
      ...lane,
      note: noteOn(lane, board.at),
      help: nextCommands(board, lane),
    })),
    untrue,
  };
}
