/** Shows the first view continuously: on a terminal in place and with keys, else with a line for each change. */
import { emitKeypressEvents, type Key } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { ReadStream } from 'node:tty';
import type { LaneOnBoard, RunWish } from '../../app/lanes/runs.ts';
import { type FirstView, watchFirst } from '../../app/view/first.ts';
import { runAttached } from '../../base/process/run.ts';
import { printableLine } from '../../base/text/printable.ts';
import { isStopped } from '../../lanes/look/note.ts';
import { type FirstRow, rowsOf } from '../words/first-rows.ts';
import { firstLines, type KeyWord, rowDetails } from '../words/first-view.ts';
import { frameOn } from '../words/frame.ts';
import { SIGNS } from '../words/signs.ts';
import { painter } from '../words/table.ts';
import { agrees, type Context, interruptible, lineOf, repeatedly } from './command.ts';

const EVERY_MS = 1_000;

/** @param asJson the JSON output for a view. */
export async function watchView(
  context: Context,
  wish: RunWish,
  asJson: (view: FirstView) => unknown,
): Promise<void> {
  const { json, env, streams } = context;
  const watched = await watchFirst(context, wish);
  const isScreen = streams.stdout.isTTY === true && env.TERM !== 'dumb' && !json;
  try {
    if (isScreen) return await inPlace(context, watched.look);
    const show = byLine(context, asJson);
    await repeatedly(streams, EVERY_MS, async () => {
      show(await watched.look());
      return 'more';
    });
  } finally {
    watched.end();
  }
}

/** A key's action on the selected lane: a command line of its own, which reports its result. */
interface Action {
  readonly name: string;
  /** The key is shown without `?`. */
  readonly isUsual?: true;
  readonly isFor?: (lane: LaneOnBoard) => boolean;
  /** The words of the command; `undefined` if the person has cancelled. */
  readonly words: (context: Context, lane: LaneOnBoard) => Promise<readonly string[] | undefined>;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  a: {
    name: 'answer',
    isUsual: true,
    isFor: ({ questions }) => questions.length > 0,
    async words(context, { key, questions }) {
      const [first] = questions;
      const question = printableLine(first?.body ?? '', 2_000);
      const text = await lineOf(context, `${key} asks: ${question}\nanswer (Esc leaves):`);
      return text ? ['answer', key, '--question', `${first?.number}`, '--', text] : undefined;
    },
  },
  l: {
    name: 'log',
    isUsual: true,
    isFor: ({ attempt }) => attempt !== null,
    words: async (_, { key, live }) => ['logs', key, ...(live ? ['--follow'] : [])],
  },
  d: { name: 'diff', isUsual: true, words: async (_, { key }) => ['lane', 'diff', key] },
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

/** The board shows everything with one row selected, or that row alone; below it the usual keys, or all. */
interface Look {
  readonly view: 'all' | 'row';
  readonly keys: 'usual' | 'all';
  readonly selected: string | undefined;
  readonly copied?: string;
}

async function inPlace(context: Context, read: () => Promise<FirstView>): Promise<void> {
  const { stdout } = context.streams;
  const frame = frameOn(stdout);
  const keyboard = keyboardOf(context);
  const paint = await painter(context, 'stdout');
  const isPlain = Boolean(context.env.NO_COLOR) || !/utf-?8/i.test(localeOf(context));
  let look: Look = { view: 'all', keys: 'usual', selected: undefined };
  /** False if the key has no action for the row. */
  const take = async (key = '', row?: FirstRow, run?: string): Promise<boolean> => {
    const action = ACTIONS[key];
    const lane = row?.lane;
    if (!action || !lane || run === undefined || !isFor(action, lane)) return false;
    frame.done();
    keyboard.rest();
    const words = await action.words(context, lane);
    if (words !== undefined) execute(context, words, run);
    keyboard.listen();
    if (words === undefined) return true;
    stdout.write(paint.faint('any key to go on'));
    let pressed: string | undefined = 'resize';
    while (pressed === 'resize') pressed = await keyboard.next();
    stdout.write('\n\n');
    return true;
  };
  const draw = (view: FirstView, row: FirstRow | undefined): void => {
    // A terminal that does not know its size reports 0.
    const screen = { width: stdout.columns || 80, rows: stdout.rows || 24, paint, isPlain };
    const keys = keyboard.isThere ? keysFor(row, look) : [];
    const isRow = look.view === 'row' && row !== undefined;
    frame.draw(
      isRow ? rowDetails(view, row, screen, keys) : firstLines(view, screen, look.selected, keys),
    );
  };
  /** Draws, and handles the next key. @returns the key. */
  const step = async (view: FirstView, due: AbortSignal): Promise<string | undefined> => {
    const rows = rowsOf(view);
    const row = rows.find(({ id }) => id === look.selected) ?? rows[0];
    look = { ...look, selected: keyboard.isThere ? row?.id : undefined };
    draw(view, row);
    const key = await keyboard.next(due);
    look = moved(look, key, rows);
    if (key === 'c' && row !== undefined) look = { ...look, ...copy(context, row) };
    // The result has to be shown at once.
    return (await take(key, row, view.board?.run.name)) ? undefined : key;
  };
  try {
    keyboard.listen();
    await interruptible(async (signal) => {
      let key: string | undefined;
      while (key !== 'q' && !signal.aborted && !stdout.writableEnded) {
        const view = await read();
        const due = AbortSignal.any([signal, AbortSignal.timeout(EVERY_MS)]);
        do key = await step(view, due);
        while (key !== undefined && key !== 'q');
      }
    });
  } finally {
    keyboard.rest();
    frame.done();
  }
}

/** The locale as a C program finds it; macOS and Windows Terminal report it in other ways. */
const localeOf = ({ env }: Context): string =>
  env.LC_ALL || env.LC_CTYPE || env.LANG || (process.platform === 'linux' ? '' : 'UTF-8');

function moved(look: Look, key: string | undefined, rows: readonly FirstRow[]): Look {
  const at = rows.findIndex(({ id }) => id === look.selected);
  const { view, keys, selected } = look;
  const select = (to: number): Look => ({ view, keys, selected: (rows[to] ?? rows[at])?.id });
  switch (key) {
    case 'escape':
      return { view: 'all', keys: 'usual', selected };
    case 'return':
      return { view: view === 'all' ? 'row' : 'all', keys, selected };
    case 'down':
    case 'j':
      return select(at + 1);
    case 'up':
    case 'k':
      return select(at - 1);
    case '?':
      return { view, keys: keys === 'all' ? 'usual' : 'all', selected };
    default:
      return look;
  }
}

/** Copies by an escape sequence that terminals pass to the clipboard, even from another machine. */
function copy({ streams: { stdout } }: Context, { commands: [command] }: FirstRow) {
  if (command === undefined) return {};
  stdout.write(`\u001b]52;c;${Buffer.from(command).toString('base64')}\u0007`);
  return { copied: command };
}

const isFor = (action: Action, lane: LaneOnBoard): boolean => action.isFor?.(lane) ?? true;

/** The usual keys; all of them after `?`. */
function keysFor(row: FirstRow | undefined, { view, keys, copied }: Look): KeyWord[] {
  const lane = row?.lane;
  const actions = Object.entries(ACTIONS).flatMap(([key, action]): KeyWord[] => {
    const isShown = keys === 'all' || action.isUsual;
    return lane && isFor(action, lane) && isShown ? [{ key, word: action.name }] : [];
  });
  const isAll = view === 'all';
  const copying = { key: 'c', word: copied ? 'copied' : 'copy the command', short: 'copy' };
  return [
    ...(row === undefined || !isAll
      ? []
      : [
          { key: 'j k', word: 'move' },
          { key: '↵', word: 'open' },
        ]),
    ...actions,
    ...(row?.commands.length ? [copying] : []),
    ...(isAll ? [] : [{ key: 'esc', word: 'back' }]),
    ...(isAll || keys === 'all' ? [{ key: 'q', word: 'leave', isSpare: true } as const] : []),
    { key: '?', word: 'keys' },
  ];
}

function execute(context: Context, words: readonly string[], run: string): void {
  const { program = '', folder = context.cwd } = context.invocation ?? {};
  const [verb = '', ...rest] = words;
  const args = [program, 'orchestrate', verb, ...rest];
  const end = args.indexOf('--');
  args.splice(end === -1 ? args.length : end, 0, '--run', run);
  runAttached(process.execPath, args, { cwd: folder, env: context.env });
}

function keyboardOf({ streams }: Context) {
  const stdin = streams.stdin as ReadStream;
  const isThere = stdin.isTTY === true;
  const pressed: string[] = [];
  let wake = (): void => undefined;
  const press = (key: string): void => {
    pressed.push(key);
    wake();
  };
  /** A window of another size is drawn again as after a key. */
  const onResize = (): void => press('resize');
  const onKey = (said: string | undefined, { name, ctrl = false }: Key): void =>
    press(ctrl && name === 'c' ? 'q' : (name ?? said ?? ''));
  return {
    isThere,
    listen() {
      streams.stdout.on('resize', onResize);
      if (!isThere) return;
      emitKeypressEvents(stdin);
      stdin.on('keypress', onKey);
      stdin.setRawMode(true);
      stdin.resume();
    },
    /** Gives the keyboard to another program. */
    rest() {
      streams.stdout.off('resize', onResize);
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

/** Prints a line for each new or changed lane or need; as JSON, one line for the whole view. */
function byLine(
  { json, streams: { stdout } }: Context,
  asJson: (view: FirstView) => unknown,
): (view: FirstView) => void {
  let before: ReadonlyMap<string, string> = new Map();
  return (view) => {
    const { board, needs, at } = view;
    const others = needs.filter(({ lane }) => lane === null);
    const now = new Map<string, readonly [key: string, text: string]>([
      ...(board?.lanes ?? []).map(
        (lane) => [lane.key, [changeKey(lane), `${lane.key} ${lane.state} ${lane.note}`]] as const,
      ),
      ...others.map(({ id, kind, subject, text }) => {
        return [id, [text, `${subject} ${SIGNS[kind].word}: ${text}`]] as const;
      }),
      ...(board === null
        ? []
        : [['', [board.run.intent, `the run is ${board.run.intent}`]] as const]),
    ]);
    const changed = [...now].filter(([id, [key]]) => before.get(id) !== key);
    before = new Map([...now].map(([id, [key]]) => [id, key]));
    if (changed.length === 0) return;
    const time = at.toISOString().slice(11, 19);
    const lines = changed.map(([, [, text]]) => `${time} ${printableLine(text, 2_000)}`.trimEnd());
    stdout.write(json ? `${JSON.stringify(asJson(view))}\n` : `${lines.join('\n')}\n`);
  };
}

/** A text that is equal for two readings of a lane if only time has passed. */
function changeKey(lane: LaneOnBoard): string {
  const { state, supervision, attempt, verdict, questions, flags, amiss } = lane;
  const ids = questions.map(({ id }) => id);
  const facts = [state, supervision, attempt?.id, verdict?.validationId, ids, flags, amiss];
  return JSON.stringify(facts);
}
