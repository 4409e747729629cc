/** A copy of an agent's own task list, which is kept through a compaction and a change of agent. */
import { findHookAgent } from '../../agents/registry.ts';
import type { TaskStatus } from '../../agents/types.ts';
import { projectPlace } from '../../base/git/project.ts';
import { plural, printableLine } from '../../base/text/printable.ts';
import { storableTitle } from '../../base/text/redact/redact.ts';
import { age } from '../../base/text/time.ts';
import type { Store } from '../../store/open.ts';
import { type SessionTask, sessionTaskStore } from '../../store/session-tasks.ts';
import { type Handler, NO_OPINION } from './handler.ts';
import { workspaceAt } from './workspace-at.ts';

export const noteTasks: Handler<'tasks'> = async ({ change, cwd, session }, caller) => {
  // Without a session id the list has no owner.
  if (session === '') return NO_OPINION;
  const { agent, now } = caller;
  const place = projectPlace(cwd);
  const { store, projectId } = await workspaceAt(place, caller);
  const tasks = sessionTaskStore(store);
  const owner = { agent, session, projectId };
  if (change.of !== 'all') {
    const changed = change.of === 'one' ? [change] : change.tasks;
    const stored = changed.map(({ id, title, status }) => ({
      id,
      title: title === undefined ? undefined : storableTitle(title),
      status,
    }));
    store.write(() => {
      for (const task of stored) tasks.put(owner, task, now());
    });
  } else {
    const all = change.tasks.map(({ title, status }) => ({ title: storableTitle(title), status }));
    store.write(() => tasks.replace(owner, all, now()));
  }
  return NO_OPINION;
};

const MOST_SHOWN = 20;
const OPEN = new Set<TaskStatus>(['pending', 'in_progress']);

/** The open tasks of a conversation that has just been compacted; `undefined` if there are none. */
export function taskListText(store: Store, agent: string, session: string): string | undefined {
  const tasks = sessionTaskStore(store).ofSession(agent, session);
  return listed('your task list before the compaction', tasks);
}

const LEFT_MS = 86_400_000;

/** The open tasks of the last list in the project, if it is of another agent and of the last day. */
export function otherTaskListText(
  store: Store,
  { projectId, agent, now }: { projectId: number; agent: string; now: Date },
): string | undefined {
  const since = new Date(now.getTime() - LEFT_MS);
  const [last] = sessionTaskStore(store).ofCoordinators(projectId, since);
  if (last === undefined || last.agent === agent) return undefined;
  const at = new Date(Math.max(...last.tasks.map((it) => it.at.getTime())));
  const title = findHookAgent(last.agent)?.title ?? last.agent;
  const list = listed(`the task list that ${title} left here ${age(at, now)}`, last.tasks);
  return list && `${list}\nIt is a record; ask the user before you go on with it.`;
}

function listed(name: string, tasks: readonly SessionTask[]): string | undefined {
  const open = tasks.filter(({ status }) => OPEN.has(status));
  if (open.length === 0) return undefined;
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const more = open.length - MOST_SHOWN;
  return [
    `lanehold: ${name}: ${plural(open.length, 'task')} open, ${done} done`,
    ...open.slice(0, MOST_SHOWN).map(lineOf),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ].join('\n');
}

function lineOf({ title, status }: SessionTask): string {
  return `- ${status === 'in_progress' ? '(in progress) ' : ''}${printableLine(title, 200)}`;
}
