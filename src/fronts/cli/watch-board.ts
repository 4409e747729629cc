/** A run watched: on a terminal in place and with keys, else a line for each change. */
import { emitKeypressEvents, type Key } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { ReadStream } from 'node:tty';
import type { BoardData } from '../../app/lanes/runs.ts';
import { runAttached } from '../../base/process/run.ts';
import { printableLine } from '../../base/text/printable.ts';
import { isStopped } from '../../lanes/look/note.ts';
import {
  inOrder,
  type LaneData,
  laneDetails,
  renderBoard,
  type Screen,
  screenOf,
} from '../words/board.ts';
import { clipped, fitted } from '../words/fit.ts';
import { agrees, type Context, interruptible, lineOf, repeatedly } from './command.ts';

const EVERY_MS = 1_000;

export async function watchBoard(context: Context, read: () => Promise<BoardData>): Promise<void> {
  const { json, env, streams } = context;
  if (streams.stdout.isTTY === true && env.TERM !== 'dumb' && !json) return inPlace(context, read);
  const show = byLine(context);
  await repeatedly(streams, EVERY_MS, async () => {
    show(await read());
    return 'more';
  });
}

/** A key's action on the selected lane: a command line of its own, which says how it went. */
interface Action {
  readonly name: string;
  readonly isFor?: (lane: LaneData) => boolean;
  /** The words of the command; `undefined` if the person has changed their mind. */
  readonly words: (context: Context, lane: LaneData) => Promise<readonly string[] | undefined>;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  l: {
    name: 'log',
    isFor: ({ attempt }) => attempt !== null,
    words: async (_, { key, live }) => ['logs', key, ...(live ? ['--follow'] : [])],
  },
  d: { name: 'diff', words: async (_, { key }) => ['lane', 'diff', key] },
  a: {
    name: 'answer',
    isFor: ({ questions }) => questions.length > 0,
    async words(context, { key, questions }) {
      const [first] = questions;
      const question = printableLine(first?.body ?? '', 2_000);
      const text = await lineOf(context, `${key} asks: ${question}\nanswer: `);
      return text === ''
        ? undefined
        : ['answer', key, '--question', `${first?.number}`, '--', text];
    },
  },
  f: {
    name: 'accept its flags',
    isFor: isStopped,
    words: async (context, { key }) =>
      (await agrees(context, `Integrate ${key} with what it is flagged for?`, 'no'))
        ? ['integrate', '--accept', key]
        : undefined,
  },
  r: {
    name: 'retry',
    isFor: ({ live, state }) => !live && state !== 'cancelled' && state !== 'landed',
    words: async (_, { key }) => ['retry', key],
  },
  s: {
    name: 'stop',
    isFor: ({ live }) => live,
    words: async (context, { key }) =>
      (await agrees(context, `End the work on ${key} for good? What it did is kept.`, 'no'))
        ? ['lane', 'cancel', key]
        : undefined,
  },
};

/** The present view: all lanes with one selected, or that one alone. */
interface Look {
  readonly view: 'board' | 'lane';
  readonly selected: string | undefined;
}

async function inPlace(context: Context, read: () => Promise<BoardData>): Promise<void> {
  const { stdout } = context.streams;
  const { createLogUpdate } = await import('log-update');
  const draw = createLogUpdate(stdout);
  const screen = await screenOf(context);
  const keyboard = keyboardOf(context);
  let look: Look = { view: 'board', selected: undefined };
  const take = async (action: Action, board: BoardData, lane: LaneData): Promise<void> => {
    draw.done();
    keyboard.rest();
    await act(context, board, action, lane);
    keyboard.listen();
    stdout.write(screen.paint.faint('any key to go on'));
    await keyboard.next();
    stdout.write('\n\n');
  };
  const step = async (signal: AbortSignal): Promise<'more' | 'done'> => {
    const board = await read();
    const lanes = inOrder(board);
    const lane = lanes.find(({ key }) => key === look.selected) ?? lanes[0];
    look = { ...look, selected: keyboard.isThere ? lane?.key : undefined };
    draw(picture(board, look, lane, { ...screen, rows: stdout.rows }));
    const key = await keyboard.next(AbortSignal.any([signal, AbortSignal.timeout(EVERY_MS)]));
    if (key === 'q') return 'done';
    look = moved(look, key, lanes);
    const action = key === undefined ? undefined : ACTIONS[key];
    if (action && lane && isFor(action, lane)) await take(action, board, lane);
    return 'more';
  };
  try {
    keyboard.listen();
    await interruptible(async (signal) => {
      const isOpen = () => !signal.aborted && !stdout.writableEnded;
      while (isOpen() && (await step(signal)) === 'more');
    });
  } finally {
    keyboard.rest();
    draw.done();
  }
}

/** No taller than the terminal: what scrolls away at the top could not be drawn over. */
function picture(
  board: BoardData,
  { view, selected }: Look,
  lane: LaneData | undefined,
  screen: Screen & { readonly rows?: number | undefined },
): string {
  const { width, rows = Number.POSITIVE_INFINITY, paint } = screen;
  const isLane = view === 'lane' && selected !== undefined && lane !== undefined;
  const text = isLane ? laneDetails(board, lane, screen) : renderBoard(board, screen, selected);
  const lines = fitted(text, width).split('\n');
  const keys = selected === undefined || lane === undefined ? '' : fitted(legend(lane), width);
  const end = keys === '' ? [] : ['', ...keys.split('\n').map((line) => paint.faint(line))];
  const marked = lines.findIndex((line) => line.startsWith('>'));
  return [...clipped(lines, rows - end.length - 1, marked), ...end].join('\n');
}

function moved(look: Look, key: string | undefined, lanes: readonly LaneData[]): Look {
  const at = lanes.findIndex((lane) => lane.key === look.selected);
  const select = (to: number): Look => ({ ...look, selected: (lanes[to] ?? lanes[at])?.key });
  switch (key) {
    case 'escape':
      return { ...look, view: 'board' };
    case 'return':
      return { ...look, view: look.view === 'board' ? 'lane' : 'board' };
    case 'down':
    case 'j':
      return select(at + 1);
    case 'up':
    case 'k':
      return select(at - 1);
    default:
      return look;
  }
}

const isFor = (action: Action, lane: LaneData): boolean => action.isFor?.(lane) ?? true;

function legend(lane: LaneData): string {
  const actions = Object.entries(ACTIONS)
    .filter(([, action]) => isFor(action, lane))
    .map(([key, { name }]) => `${key} ${name}`);
  return ['↑↓ choose', '⏎ open', ...actions, 'q quit'].join('   ');
}

async function act(context: Context, board: BoardData, action: Action, lane: LaneData) {
  const words = await action.words(context, lane);
  if (words === undefined) return;
  const { program = '', folder = context.cwd } = context.invocation ?? {};
  const [verb = '', ...rest] = words;
  const args = [program, 'orchestrate', verb, ...rest];
  const end = args.indexOf('--');
  args.splice(end === -1 ? args.length : end, 0, '--run', board.run.name);
  runAttached(process.execPath, args, { cwd: folder, env: context.env });
}

function keyboardOf({ streams }: Context) {
  const stdin = streams.stdin as ReadStream;
  const isThere = stdin.isTTY === true;
  const pressed: string[] = [];
  let wake = (): void => undefined;
  const onKey = (_: string, { name = '', ctrl = false }: Key): void => {
    pressed.push(ctrl && name === 'c' ? 'q' : name);
    wake();
  };
  return {
    isThere,
    listen() {
      if (!isThere) return;
      emitKeypressEvents(stdin);
      stdin.on('keypress', onKey);
      stdin.setRawMode(true);
      stdin.resume();
    },
    /** Leaves the keyboard to another program. */
    rest() {
      if (!isThere) return;
      stdin.off('keypress', onKey);
      stdin.setRawMode(false);
      stdin.pause();
      pressed.length = 0;
    },
    /** The name of the next key; `undefined` if none came in time. */
    async next(signal?: AbortSignal): Promise<string | undefined> {
      if (pressed.length === 0) {
        const waits = new AbortController();
        wake = () => waits.abort();
        const either =
          signal === undefined ? waits.signal : AbortSignal.any([signal, waits.signal]);
        await pause(2 ** 30, undefined, { signal: either }).catch(() => undefined);
      }
      return pressed.shift();
    },
  };
}

/** A line for each lane that is new or has changed; as JSON a line for the whole run. */
function byLine({ json, streams: { stdout } }: Context): (board: BoardData) => void {
  let before: ReadonlyMap<string, string> = new Map();
  return (board) => {
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
        lane === undefined ? `the run is ${board.run.intent}` : `${key} ${lane.state} ${lane.note}`;
      stdout.write(`${time} ${text}`.trimEnd().concat('\n'));
    }
  };
}

/** Equal for two readings of a lane between which only time has passed. */
function changeKey(lane: BoardData['lanes'][number]): string {
  const { state, supervision, attempt, verdict, questions, flags, amiss } = lane;
  const ids = questions.map(({ id }) => id);
  const facts = [state, supervision, attempt?.id, verdict?.validationId, ids, flags, amiss];
  return JSON.stringify(facts);
}
