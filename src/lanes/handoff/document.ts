/**
 * The handoff of a run: all that is needed to continue it without knowing anything. Only the store is
 * read; `check.ts` compares it with git and the disk.
 */
import { handoffStore, type StoredHandoff } from '../../store/handoffs.ts';
import { newId } from '../../store/ids.ts';
import type { Run } from '../../store/runs.ts';
import { type Board, countStates, readBoard } from '../board/board.ts';
import type { LaneContext } from '../context.ts';
import { type Decision, decisionLine, decisionsOf } from './decisions.ts';
import type { Line } from './line.ts';
import { linesOf } from './lines.ts';
import { pendingLines } from './pending-lines.ts';
import { taskLines, workerTaskLines } from './task-lines.ts';

export const HANDOFF_FORMAT = 'lanehold-handoff/1';

export interface Handoff {
  readonly format: typeof HANDOFF_FORMAT;
  readonly id: string;
  /** The conversation that it was made for; empty if none. */
  readonly agent: string;
  readonly session: string;
  readonly at: Date;
  /** Pass it to `--since` to get what happened afterwards. */
  readonly cursor: number;
  readonly board: Board;
  readonly decisions: readonly Decision[];
  /** In reading order. */
  readonly lines: readonly Line[];
}

export interface Recipient {
  readonly agent: string;
  readonly session: string;
}

export function handoff(context: LaneContext, run: Run, { agent, session }: Recipient): Handoff {
  const board = readBoard(context, run);
  const decisions = decisionsOf(context, board);
  const lines = [
    ...linesOf(board, handoffStore(context.store).lastSeqs(run.id)),
    ...workerTaskLines(context, board),
    ...decisions.map(decisionLine),
    ...taskLines(context, run),
    ...pendingLines(context, board),
    ...nextLines(board),
  ];
  return {
    format: HANDOFF_FORMAT,
    id: newId(board.at),
    agent,
    session,
    at: board.at,
    cursor: board.cursor,
    board,
    decisions,
    lines,
  };
}

/** Makes a handoff and stores it: before a conversation is compacted, or when one is given out. */
export function storeHandoff(context: LaneContext, run: Run, recipient: Recipient): Handoff {
  const made = handoff(context, run, recipient);
  keepHandoff(context, made);
  return made;
}

export function keepHandoff({ store }: LaneContext, it: Handoff): void {
  const kept: StoredHandoff = {
    id: it.id,
    runId: it.board.run.id,
    agent: it.agent,
    session: it.session,
    cursor: it.cursor,
    body: JSON.stringify(it),
    at: it.at,
  };
  store.write(() => handoffStore(store).add(kept));
}

function nextLines(board: Board): Line[] {
  const { runOption } = board;
  const counts = countStates(board);
  const has = (...states: Parameters<typeof counts.has>[0][]) =>
    states.some((it) => counts.has(it));
  const steps: (readonly [text: string, words: string])[] = [
    ['is all of this still so?', 'handoff --check'],
    ['where everything stands now', 'status'],
  ];
  if (board.run.intent === 'paused') steps.push(['let the run go on', 'resume']);
  if (has('planned')) steps.push(['start what can start', 'spawn --ready']);
  if (has('verified')) steps.push(['bring verified lanes together', 'integrate']);
  if (has('integrated')) steps.push(['bring it home', 'land']);
  steps.push(['what happened after this', `handoff --since ${board.cursor}`]);
  return steps.map(([text, words]) => ({
    about: `next: ${words}`,
    section: 'next',
    text,
    commands: [`lanehold orchestrate ${words}${runOption}`],
    source: { event: board.cursor },
    claims: [],
  }));
}
