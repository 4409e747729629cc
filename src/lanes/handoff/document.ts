/**
 * The handoff of a run: all that is needed to continue it without knowing anything. Only the store is
 * read; `check.ts` compares it with git and the disk.
 */

import { existsSync } from 'node:fs';
import { pendingSummary } from '../../features/pending.ts';
import { attemptStore } from '../../store/attempts.ts';
import { handoffStore, type StoredHandoff } from '../../store/handoffs.ts';
import { newId } from '../../store/ids.ts';
import { pendingStore } from '../../store/pending.ts';
import type { Run } from '../../store/runs.ts';
import {
  type SessionTask,
  type SessionTaskList,
  sessionTaskStore,
} from '../../store/session-tasks.ts';
import { printableLine } from '../../text/printable.ts';
import { type Board, countStates, readBoard } from '../board/board.ts';
import type { LaneCard } from '../board/lane-cards.ts';
import type { LaneContext } from '../context.ts';
import { code } from '../quoting.ts';
import { type Decision, decisionLine, decisionsOf } from './decisions.ts';
import type { Line } from './line.ts';
import { linesOf, sectionOf } from './lines.ts';

const HANDOFF_FORMAT = 'lanehold-handoff/1';

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

interface Recipient {
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

function keepHandoff({ store }: LaneContext, it: Handoff): void {
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

const MOST_LISTS = 3;

/** The most recently changed lists of coordinators. */
function taskLines({ store }: LaneContext, run: Run): Line[] {
  return sessionTaskStore(store)
    .ofCoordinators(run.projectId, run.createdAt)
    .flatMap(taskLine)
    .slice(0, MOST_LISTS);
}

function taskLine({ agent, session, tasks }: SessionTaskList): Line[] {
  const { open, done } = sorted(tasks);
  if (open.length === 0) return [];
  return [
    {
      about: `tasks of ${printableLine(agent)} ${printableLine(session)}`,
      section: 'waiting',
      text: `on the task list of ${printableLine(agent)}, ${open.length} open, ${done} done:`,
      quote: asItems(open),
      source: {},
      claims: [],
    },
  ];
}

/** The task list of the last worker of each lane that is not done. */
function workerTaskLines({ store }: LaneContext, { run, lanes }: Board): Line[] {
  const sessions = new Map<string, LaneCard>();
  for (const lane of lanes) {
    if (sectionOf(lane) === 'verified' || lane.state === 'cancelled') continue;
    const last = attemptStore(store)
      .ofLane(lane.id)
      .findLast(({ sessionId }) => sessionId !== null);
    if (last?.sessionId) sessions.set(last.sessionId, lane);
  }
  return sessionTaskStore(store)
    .ofSessions(run.projectId, [...sessions.keys()])
    .flatMap((list) => workerTaskLine(list, sessions.get(list.session)));
}

function workerTaskLine({ agent, tasks }: SessionTaskList, lane: LaneCard | undefined): Line[] {
  const { open, done } = sorted(tasks);
  if (lane === undefined || open.length === 0) return [];
  const now = open.find(({ status }) => status === 'in_progress');
  const at = code((now ?? open[0])?.title ?? '');
  return [
    {
      about: `lane ${lane.key}: tasks`,
      section: sectionOf(lane),
      text: `task list of ${printableLine(agent)}: ${open.length} open, ${done} done, ${now ? 'at' : 'next'} ${at}`,
      quote: asItems(open),
      source: {},
      claims: [],
    },
  ];
}

function sorted(tasks: readonly SessionTask[]) {
  return {
    open: tasks.filter(({ status }) => status === 'pending' || status === 'in_progress'),
    done: tasks.filter(({ status }) => status === 'completed').length,
  };
}

function asItems(open: readonly SessionTask[]): string {
  const items = open.map(({ title, status }) => {
    return `- ${status === 'in_progress' ? '(in progress) ' : ''}${printableLine(title, 500)}`;
  });
  return items.join('\n');
}

/** One line for each working tree. What a lane changes is validated with the lane. */
function pendingLines({ store }: LaneContext, { run, lanes }: Board): Line[] {
  const ofLanes = new Set(lanes.map(({ worktree }) => worktree));
  const pending = pendingStore(store)
    .ofProject(run.projectId)
    .filter(({ worktree }) => !ofLanes.has(worktree) && existsSync(worktree));
  return [...Map.groupBy(pending, ({ worktree }) => worktree)].map(([worktree, features]) => ({
    about: `pending ${worktree}`,
    section: 'waiting',
    text: `changed and not verified in ${code(worktree, 400)}: ${pendingSummary(features)}`,
    commands: ['lanehold feature verify --pending'],
    source: {},
    claims: [],
  }));
}
