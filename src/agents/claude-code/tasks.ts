/**
 * Changes to the task list of Claude Code, from its tools and its events.
 *
 * On the hook path. What cannot be read as a task is ignored: an incomplete list is better than a
 * hook that fails.
 */
import { isJsonObject, type JsonObject } from '../../text/json.ts';
import type { EventName, TaskChange, TaskStatus } from '../types.ts';

/** The change that a tool has made, from the payload after its call. */
export function taskChange(tool: string, payload: JsonObject): TaskChange | undefined {
  const input = objectAt(payload, 'tool_input');
  const response = objectAt(payload, 'tool_response');
  switch (tool) {
    case 'TaskCreate': {
      const task = objectAt(response, 'task');
      return oneTask(task.id, task.subject ?? input.subject, 'pending');
    }
    case 'TaskUpdate':
      if (response.success === false) return undefined;
      return oneTask(input.taskId, input.subject, statusOf(input.status));
    default:
      return Array.isArray(input.todos)
        ? { of: 'all', tasks: input.todos.flatMap(todoOf) }
        : undefined;
  }
}

/** The client sends these events for all tasks, also for those that its own tools create. */
export function taskEvent(
  event: Extract<EventName, 'task-created' | 'task-completed'>,
  payload: JsonObject,
): TaskChange | undefined {
  const status = event === 'task-completed' ? 'completed' : undefined;
  return oneTask(payload.task_id, payload.task_subject, status);
}

function oneTask(
  id: unknown,
  title: unknown,
  status: TaskStatus | undefined,
): TaskChange | undefined {
  const known = typeof id === 'number' ? String(id) : id;
  if (typeof known !== 'string' || known === '') return undefined;
  return { of: 'one', id: known, title: typeof title === 'string' ? title : undefined, status };
}

function todoOf(todo: unknown): { title: string; status: TaskStatus }[] {
  if (!isJsonObject(todo) || typeof todo.content !== 'string') return [];
  return [{ title: todo.content, status: statusOf(todo.status) ?? 'pending' }];
}

/** `deleted` removes a task from the list. */
function statusOf(status: unknown): TaskStatus | undefined {
  switch (status) {
    case 'pending':
    case 'in_progress':
    case 'completed':
      return status;
    case 'deleted':
      return 'dropped';
    default:
      return undefined;
  }
}

function objectAt(object: JsonObject, field: string): JsonObject {
  const value = object[field];
  return isJsonObject(value) ? value : {};
}
