/** What the agents that lead the work still have on lists of their own. */
import type { Run } from '../../store/runs.ts';
import { type SessionTaskList, sessionTaskStore } from '../../store/session-tasks.ts';
import { printableLine } from '../../text/printable.ts';
import type { LaneWorld } from '../world.ts';
import type { Line } from './claims.ts';

const MOST_LISTS = 3;

/** The lists that were changed last; workers keep theirs to themselves. */
export function taskLines({ store }: LaneWorld, run: Run): Line[] {
  return sessionTaskStore(store)
    .ofCoordinators(run.projectId, run.createdAt)
    .flatMap(taskLine)
    .slice(0, MOST_LISTS);
}

function taskLine({ agent, session, tasks }: SessionTaskList): Line[] {
  const open = tasks.filter(({ status }) => status === 'pending' || status === 'in_progress');
  if (open.length === 0) return [];
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const items = open.map(({ title, status }) => {
    return `- ${status === 'in_progress' ? '(in progress) ' : ''}${printableLine(title, 500)}`;
  });
  return [
    {
      about: `tasks of ${printableLine(agent)} ${printableLine(session)}`,
      section: 'waiting',
      text: `on the task list of ${printableLine(agent)}, ${open.length} open, ${done} done:`,
      quote: items.join('\n'),
      source: {},
      claims: [],
    },
  ];
}
