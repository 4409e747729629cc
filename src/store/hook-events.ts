/** Answered events of hooks, by their ids. */
import type { Store } from './open.ts';
import { tableStore } from './rows.ts';

export interface AnsweredEvent {
  readonly id: string;
  readonly at: Date;
  /** As JSON. */
  readonly answer: string;
}

export const hookEventStore = tableStore(null, ({ value, writing }) => ({
  answer: value<[id: string], string>('SELECT answer FROM hook_events WHERE id = ?'),
  /** False if it exists. */
  add: writing<[AnsweredEvent]>(
    'INSERT INTO hook_events (id, at, answer) VALUES (:id, :at, :answer) ON CONFLICT DO NOTHING',
  ),
  removeOlder: writing<[than: Date]>('DELETE FROM hook_events WHERE at < ?'),
}));

/** The time in which an event may be answered a second time. */
const KEPT_MS = 3_600_000;

/** Records the answer, if there is none. @returns the earlier answer. */
export function noteAnswer(store: Store, event: AnsweredEvent): string | undefined {
  const events = hookEventStore(store);
  const isNew = store.write(() => {
    events.removeOlder(new Date(event.at.getTime() - KEPT_MS));
    return events.add(event);
  });
  return isNew ? undefined : events.answer(event.id);
}
