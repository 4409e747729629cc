/** Keeps showing a run until somebody presses Ctrl-C: in place on a terminal, else line by line. */
import { setTimeout as pause } from 'node:timers/promises';
import type { LaneCard } from '../lanes/board/lane-card.ts';
import { noteOn } from '../lanes/board/note.ts';
import type { Look } from './commands/orchestrate-status.ts';
import type { Context } from './context.ts';
import { renderBoard } from './render/board.ts';
import { boardData } from './render/board-data.ts';
import { painter } from './render/colour.ts';

const LOOK_MS = 1_000;

/** @param look is called about once a second. */
export async function watchBoard(context: Context, look: () => Promise<Look>): Promise<void> {
  const show = await displayFor(context);
  const stopped = new AbortController();
  const stop = (): void => stopped.abort();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    while (!stopped.signal.aborted && !context.streams.stdout.writableEnded) {
      show.next(await look());
      await pause(LOOK_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  } finally {
    process.removeListener('SIGINT', stop);
    process.removeListener('SIGTERM', stop);
    show.end();
  }
}

interface Display {
  next(look: Look): void;
  end(): void;
}

async function displayFor(context: Context): Promise<Display> {
  const { stdout } = context.streams;
  const isTerminal = stdout.isTTY === true && context.env.TERM !== 'dumb';
  return isTerminal && !context.json ? inPlace(context) : byLine(context);
}

async function inPlace(context: Context): Promise<Display> {
  const { stdout } = context.streams;
  const [{ createLogUpdate }, paint] = await Promise.all([
    import('log-update'),
    painter(context, 'stdout'),
  ]);
  const draw = createLogUpdate(stdout);
  return {
    next: ({ board, untrue }) =>
      draw(renderBoard(board, untrue, { paint, room: stdout.columns ?? Infinity })),
    end: () => draw.done(),
  };
}

/** A line for each lane that is new or has come further; JSON as one line for all of the run. */
function byLine({ json, streams: { stdout } }: Context): Display {
  let before: ReadonlyMap<string, string> = new Map();
  return {
    next({ board, untrue }) {
      const marks = new Map(board.lanes.map((lane) => [lane.key, markOf(lane)]));
      marks.set('', board.run.intent);
      const changed = [...marks].filter(([key, mark]) => before.get(key) !== mark);
      before = marks;
      if (changed.length === 0) return;
      if (json) {
        stdout.write(`${JSON.stringify(boardData(board, untrue))}\n`);
        return;
      }
      const time = board.at.toISOString().slice(11, 19);
      for (const [key] of changed) {
        const lane = board.lanes.find((it) => it.key === key);
        const text =
          lane === undefined
            ? `the run is ${board.run.intent}`
            : `${key} ${lane.state} ${noteOn(lane, board.at)}`;
        stdout.write(`${time} ${text}`.trimEnd().concat('\n'));
      }
    },
    end: () => undefined,
  };
}

/** All that makes a line worth writing again; a clock that ticks does not. */
function markOf(lane: LaneCard): string {
  const { state, supervision, attempt, verdict, questions, flags, amiss } = lane;
  const ids = questions.map(({ id }) => id);
  return JSON.stringify([
    state,
    supervision,
    attempt?.id,
    verdict?.validationId,
    ids,
    flags,
    amiss,
  ]);
}
