/** Keeps showing a run until Ctrl-C: in place on a terminal, else line by line. */
import type { BoardData } from '../app/runs.ts';
import type { Context } from './context.ts';
import { repeatedly } from './interruption.ts';
import { renderBoard } from './render/board.ts';
import { painter } from './render/colour.ts';

const EVERY_MS = 1_000;

export async function watchBoard(context: Context, read: () => Promise<BoardData>): Promise<void> {
  const display = await displayFor(context);
  try {
    await repeatedly(context.streams, EVERY_MS, async () => {
      display.show(await read());
      return 'more';
    });
  } finally {
    display.end();
  }
}

interface Display {
  show(board: BoardData): void;
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
    show: (board) =>
      draw(renderBoard(board, { paint, width: stdout.columns ?? Number.POSITIVE_INFINITY })),
    end: () => draw.done(),
  };
}

/** A line for each lane that is new or has changed; as JSON a line for the whole run. */
function byLine({ json, streams: { stdout } }: Context): Display {
  let before: ReadonlyMap<string, string> = new Map();
  return {
    show(board) {
      const keys = new Map(board.lanes.map((lane) => [lane.key, changeKey(lane)]));
      keys.set('', board.run.intent);
      const changed = [...keys].filter(([lane, key]) => before.get(lane) !== key);
      before = keys;
      if (changed.length === 0) return;
      if (json) {
        stdout.write(`${JSON.stringify(board)}\n`);
        return;
      }
      const time = board.at.toISOString().slice(11, 19);
      for (const [key] of changed) {
        const lane = board.lanes.find((it) => it.key === key);
        const text =
          lane === undefined
            ? `the run is ${board.run.intent}`
            : `${key} ${lane.state} ${lane.note}`;
        stdout.write(`${time} ${text}`.trimEnd().concat('\n'));
      }
    },
    end: () => undefined,
  };
}

/** Equal for two readings of a lane between which only time has passed. */
function changeKey(lane: BoardData['lanes'][number]): string {
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
