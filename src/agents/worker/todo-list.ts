/** Task lists that agents write as a whole with a tool of their own. */
import { type JsonObject, textAt } from './json-line.ts';
import type { WorkerTask } from './worker.ts';

/** @param title the field that says what is to be done; an entry without it is none. */
export function todoList(entries: readonly JsonObject[], title: string): WorkerTask[] {
  return entries.flatMap((entry) => {
    const text = textAt(entry, title);
    return text === undefined ? [] : [{ title: text, status: statusOf(textAt(entry, 'status')) }];
  });
}

function statusOf(status: string | undefined): WorkerTask['status'] {
  switch (status) {
    case 'in_progress':
    case 'completed':
      return status;
    case 'cancelled':
      return 'dropped';
    default:
      return 'pending';
  }
}
