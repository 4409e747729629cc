/** Open tasks on the task lists of agents: those of coordinators, and those of workers. */
import { attemptStore } from '../../store/attempts.ts';
import type { Run } from '../../store/runs.ts';
import {
  type SessionTask,
  type SessionTaskList,
  sessionTaskStore,
} from '../../store/session-tasks.ts';
import { printableLine } from '../../text/printable.ts';
import type { Board } from '../board/board.ts';
import type { LaneCard } from '../board/lane-card.ts';
import type { LaneContext } from '../context.ts';
import { code } from '../quoting.ts';
import type { Line } from './line.ts';
import { sectionOf } from './lines.ts';

const MOST_LISTS = 3;

/** The most recently changed lists of coordinators. */
export function taskLines({ store }: LaneContext, run: Run): Line[] {
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
export function workerTaskLines({ store }: LaneContext, { run, lanes }: Board): Line[] {
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
