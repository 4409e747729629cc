/**
 * The handoff of a run: all that is needed to continue it without knowing anything. Only the store is
 * read; `check.ts` compares it with git and the disk.
 */
import { existsSync } from 'node:fs';
import { pendingSummary } from '../../features/pending.ts';
import { attemptStore } from '../../store/attempts.ts';
import { handoffStore } from '../../store/handoffs.ts';
import { newId } from '../../store/ids.ts';
import { pendingStore } from '../../store/pending.ts';
import type { Run } from '../../store/runs.ts';
import { type SessionTask, sessionTaskStore } from '../../store/session-tasks.ts';
import { printableLine } from '../../text/printable.ts';
import { code } from '../messages/quoting.ts';
import type { LaneContext } from '../model/context.ts';
import { type Board, countStates, type LaneCard, readBoard } from './board.ts';
import { type Decision, decisionLine, decisionsOf, type Line, lineOf, linesOf } from './lines.ts';
import { sectionOf } from './note.ts';

const HANDOFF_FORMAT = 'lanehold-handoff/1';

/** The conversation that a handoff is made for; empty if none. */
interface Recipient {
  readonly agent: string;
  readonly session: string;
}

export interface Handoff extends Recipient {
  readonly format: typeof HANDOFF_FORMAT;
  readonly id: string;
  readonly at: Date;
  /** Pass it to `--since` to get what happened afterwards. */
  readonly cursor: number;
  readonly board: Board;
  readonly decisions: readonly Decision[];
  /** In reading order. */
  readonly lines: readonly Line[];
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
  const { at, cursor } = board;
  return {
    ...{ format: HANDOFF_FORMAT, id: newId(at), agent, session, at, cursor },
    ...{ board, decisions, lines },
  };
}

/** Makes a handoff and stores it: before a conversation is compacted, or when one is given out. */
export function storeHandoff(context: LaneContext, run: Run, recipient: Recipient): Handoff {
  const { store } = context;
  const made = handoff(context, run, recipient);
  const kept = { ...made, runId: run.id, body: JSON.stringify(made) };
  store.write(() => handoffStore(store).add(kept));
  return made;
}

function nextLines(board: Board): Line[] {
  const { runOption } = board;
  const counts = countStates(board);
  const steps: (readonly [text: string, words: string])[] = [
    ['is all of this still so?', 'handoff --check'],
    ['where everything stands now', 'status'],
  ];
  if (board.run.intent === 'paused') steps.push(['let the run go on', 'resume']);
  if (counts.has('planned')) steps.push(['start what can start', 'spawn --ready']);
  if (counts.has('verified')) steps.push(['bring verified lanes together', 'integrate']);
  if (counts.has('integrated')) steps.push(['bring it home', 'land']);
  steps.push(['what happened after this', `handoff --since ${board.cursor}`]);
  return steps.map(([text, words]) => {
    const commands = [`lanehold orchestrate ${words}${runOption}`];
    return lineOf('next', `next: ${words}`, text, { commands, source: { event: board.cursor } });
  });
}

const MOST_LISTS = 3;

/** The most recently changed lists of coordinators. */
function taskLines({ store }: LaneContext, run: Run): Line[] {
  const lists = sessionTaskStore(store).ofCoordinators(run.projectId, run.createdAt);
  const lines = lists.flatMap(({ agent, session, tasks }) => {
    const whose = `${printableLine(agent)} ${printableLine(session)}`;
    const open = openTasks(tasks);
    if (open === undefined) return [];
    const text = `on the task list of ${printableLine(agent)}, ${open.counts}:`;
    return lineOf('waiting', `tasks of ${whose}`, text, { quote: open.list });
  });
  return lines.slice(0, MOST_LISTS);
}

/** The task list of the last worker of each lane that is not done. */
function workerTaskLines({ store }: LaneContext, { run, lanes }: Board): Line[] {
  const sessions = new Map<string, LaneCard>();
  for (const lane of lanes) {
    if (sectionOf(lane) === 'verified' || lane.state === 'cancelled') continue;
    const tries = attemptStore(store).ofLane(lane.id);
    const last = tries.findLast(({ sessionId }) => sessionId !== null);
    if (last?.sessionId) sessions.set(last.sessionId, lane);
  }
  const lists = sessionTaskStore(store).ofSessions(run.projectId, [...sessions.keys()]);
  return lists.flatMap(({ agent, session, tasks }) => {
    const lane = sessions.get(session);
    const open = openTasks(tasks);
    if (lane === undefined || open === undefined) return [];
    const text = `task list of ${printableLine(agent)}: ${open.counts}, ${open.at}`;
    const facts = { lane: lane.key, quote: open.list };
    return lineOf(sectionOf(lane), `lane ${lane.key}: tasks`, text, facts);
  });
}

/** Nothing if no task is open. */
function openTasks(tasks: readonly SessionTask[]) {
  const open = tasks.filter(({ status }) => status === 'pending' || status === 'in_progress');
  const now = open.find(({ status }) => status === 'in_progress');
  const [next] = open;
  if (next === undefined) return undefined;
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const items = open.map(({ title, status }) => {
    return `- ${status === 'in_progress' ? '(in progress) ' : ''}${printableLine(title, 500)}`;
  });
  return {
    counts: `${open.length} open, ${done} done`,
    at: now === undefined ? `next ${code(next.title)}` : `at ${code(now.title)}`,
    list: items.join('\n'),
  };
}

/** One line for each working tree. What a lane changes is validated with the lane. */
function pendingLines({ store }: LaneContext, { run, lanes }: Board): Line[] {
  const ofLanes = new Set(lanes.map(({ worktree }) => worktree));
  const pending = pendingStore(store)
    .ofProject(run.projectId)
    .filter(({ worktree }) => !ofLanes.has(worktree) && existsSync(worktree));
  const commands = ['lanehold feature verify --pending'];
  return [...Map.groupBy(pending, ({ worktree }) => worktree)].map(([worktree, features]) => {
    const text = `changed and not verified in ${code(worktree, 400)}: ${pendingSummary(features)}`;
    return lineOf('waiting', `pending ${worktree}`, text, { commands });
  });
}
