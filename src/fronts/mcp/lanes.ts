/** The `lanes` tool: coordinates a run, for an agent without a shell. Actions that need a person are left out. */
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod/mini';
import { assertMayOrchestrate } from '../../app/lanes/coordinator.ts';
import { wholeHandoff } from '../../app/lanes/handoffs.ts';
import { integrateRun } from '../../app/lanes/integration.ts';
import { commentOnLine, laneDiff } from '../../app/lanes/lane-content.ts';
import { answerWorker, tellLane } from '../../app/lanes/lane-messages.ts';
import { createLane, laneLog, retryLane } from '../../app/lanes/lanes.ts';
import * as runs from '../../app/lanes/runs.ts';
import { defined } from '../../app/values.ts';
import { printable } from '../../base/text/printable.ts';
import { renderBoard } from '../words/board.ts';
import { logText } from '../words/lane-log.ts';
import * as words from '../words/lanes.ts';
import { type CallContext, names, needed, said, type ToolResult, text, tool } from './tool.ts';

const ACTIONS = [
  'init',
  'add',
  'spawn',
  'status',
  'logs',
  'diff',
  'answer',
  'tell',
  'retry',
  'integrate',
  'land',
  'handoff',
] as const;

const INPUT = z.strictObject({
  action: z.enum(ACTIONS),
  run: z.optional(z.string()),
  lane: z.optional(z.string()),
  text: z.optional(text('Goal of init, task of add, what is said to a worker')),
  touches: z.optional(names('Globs that it may write; with diff: only these')),
  needs: z.optional(names('Lanes that it starts from')),
  validate: z.optional(text('The command that proves it')),
  agent: z.optional(z.string()),
  line: z.optional(text('FILE:LINE of its diff that tell is about')),
  wait: z.optional(z.boolean().check(z.describe('status: until something changes, or 50 s'))),
});

type Input = z.output<typeof INPUT>;

export const LANES = tool({
  name: 'lanes',
  description:
    'Splits work over agents: init a run, add lanes (tasks), spawn them (without `lane` all), watch status, then integrate and land.',
  input: INPUT,
  annotations: { openWorldHint: true },
  async run(context, input) {
    await assertMayOrchestrate(input.action, context);
    return act(context, input);
  },
});

async function act(context: CallContext, input: Input): Promise<ToolResult> {
  const { action, run, agent } = input;
  switch (action) {
    case 'init': {
      const wish = { goal: textOf(input), name: run, runBudget: {} };
      return said(
        await runs.beginRun(context, wish),
        (it) => `Began run ${it.run.name}; add lanes`,
      );
    }
    case 'add': {
      const { touches, needs, validate } = input;
      const spec = defined({ desc: textOf(input), touches, needs, validate, agent });
      const wish = { ...laneOf(input), spec, start: false };
      return said(await createLane(context, wish), (it) => `Added lane ${it.lane.key}`);
    }
    case 'spawn': {
      const keys = input.lane === undefined ? [] : [input.lane];
      const wish = { run, keys, ready: keys.length === 0, wait: false };
      return said(await runs.spawnLanes(context, wish), words.spawnedText);
    }
    case 'status':
      return boardOf(context, run, input.wait === true ? 'wait' : 'tend');
    case 'logs': {
      const excerpt = (await laneLog(context, laneOf(input))).excerpt();
      return said(excerpt, (it) => logText(it, context.now()));
    }
    case 'diff': {
      const wish = { ...laneOf(input), stat: false, only: input.touches };
      return said(await laneDiff(context, wish), ({ diff }) => printable(diff) || 'No changes');
    }
    case 'answer': {
      const wish = { ...laneOf(input), question: undefined, text: textOf(input) };
      return said(await answerWorker(context, wish), words.answeredText);
    }
    case 'tell': {
      const wish = { ...laneOf(input), text: textOf(input) };
      if (input.line === undefined) {
        return said(await tellLane(context, wish), words.toldText);
      }
      return said(await commentOnLine(context, { ...wish, at: input.line }), words.toldText);
    }
    case 'retry': {
      const wish = { ...laneOf(input), agent, notes: input.text, wait: false };
      return said(await retryLane(context, wish), words.retriedText);
    }
    case 'integrate': {
      const only = input.lane === undefined ? undefined : [input.lane];
      const wish = { run, lanes: only, signal: context.signal };
      return said(await integrateRun(context, wish), words.integrationText);
    }
    case 'land':
      return said(await runs.landRun(context, { run, way: undefined }), words.landText);
    case 'handoff':
      return wholeHandoff(context, { run, ids: 'short' });
  }
}

const laneOf = ({ run, lane, action }: Input) => ({ run, key: needed(lane, 'lane', action) });
const textOf = ({ text: given, action }: Input) => needed(given, 'text', action);

const plain = (text: string): string => text;
const PLAIN = { good: plain, bad: plain, warn: plain, hint: plain, faint: plain, strong: plain };
const COLUMNS = 200;
/** The time is below a minute, after which clients give up. */
const LONGEST_WAIT_MS = 50_000;
const LOOK_EVERY_MS = 1_000;

/** @param how `look` starts nothing; `wait` returns when something has happened in the run. */
export async function boardOf(
  context: CallContext,
  run: string | undefined,
  how: 'look' | 'tend' | 'wait',
): Promise<ToolResult> {
  const found = await runs.runStatus(context, { run });
  if (found.kind === 'over') {
    const { name, intent } = found.data.last;
    return { data: found.data, text: `No run is open; the last one, ${name}, is ${intent}` };
  }
  if (found.kind === 'several') {
    const all = await Promise.all(found.boards.map((it) => boardOf(context, it.run, how)));
    return {
      data: { runs: all.map(({ data }) => data) },
      text: all.map(({ text }) => text).join('\n\n'),
    };
  }
  const look = async () => found.read(how === 'look' ? undefined : await found.tend());
  let board = await look();
  const { states } = board;
  const isSame = () => JSON.stringify(board.states) === JSON.stringify(states);
  const until = performance.now() + (how === 'wait' ? LONGEST_WAIT_MS : 0);
  while (isSame() && board.lanes.some(({ live }) => live) && performance.now() < until) {
    await delay(LOOK_EVERY_MS, undefined, { signal: context.signal });
    board = await look();
  }
  return said(board, (it) => renderBoard(it, { paint: PLAIN, width: COLUMNS }));
}
