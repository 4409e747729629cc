/** Reads task lists of agents. An entry that cannot be read is left out: an incomplete list is better than none. */
import { isJsonObject } from '../../base/text/json.ts';
import type { TaskChange, TaskStatus } from '../types.ts';

type Task = Extract<TaskChange, { of: 'all' }>['tasks'][number];

const STATUSES: Readonly<Record<string, TaskStatus>> = {
  pending: 'pending',
  in_progress: 'in_progress',
  completed: 'completed',
  done: 'completed',
  cancelled: 'dropped',
  deleted: 'dropped',
};

/** `undefined` for a word that no agent uses. */
export function taskStatus(status: unknown): TaskStatus | undefined {
  return typeof status === 'string' ? STATUSES[status] : undefined;
}

/** @param title the field with the title. */
export function taskList(entries: readonly unknown[], title: string): Task[] {
  return entries.flatMap((it) => {
    const text = isJsonObject(it) ? it[title] : undefined;
    if (!isJsonObject(it) || typeof text !== 'string') return [];
    return [{ title: text, status: taskStatus(it.status) ?? 'pending' }];
  });
}

/** Reads a list that the agent writes as a whole each time. */
export function wholeList(todos: unknown, title: string): TaskChange | undefined {
  return Array.isArray(todos) ? { of: 'all', tasks: taskList(todos, title) } : undefined;
}

/** The change of one task; `undefined` without an id. */
export function oneTask(
  id: unknown,
  title: unknown,
  status: TaskStatus | undefined,
): TaskChange | undefined {
  const known = typeof id === 'number' ? String(id) : id;
  if (typeof known !== 'string' || known === '') return undefined;
  return { of: 'one', id: known, title: typeof title === 'string' ? title : undefined, status };
}
