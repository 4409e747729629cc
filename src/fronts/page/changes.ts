/** Notifies open pages of changes; they then read the changed parts again. */
import { randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { changeStore } from '../../store/changes.ts';
import type { Store } from '../../store/open.ts';

interface Reader {
  readonly projectId: number;
  /** The log that the page shows. */
  readonly log: string | undefined;
  /** The last id of an earlier stream that it received. */
  readonly lastId: string | undefined;
  readonly send: (message: { event: string; data: string; id?: string }) => void;
}

interface Reading extends Reader {
  events: string | undefined;
  /** The number of the last change that was sent to it. */
  told: number;
  toldAt: number;
  bytes: number;
}

const EVERY_MS = 500;
/** The least time between notices of other changes, because hooks of all sessions write at each tool call. */
const OTHER_MS = 5_000;

export type ChangeFeed = ReturnType<typeof changeFeed>;

/**
 * @param store a connection for this purpose only: a connection does not see its own changes as such.
 * @param onError is called with an error that prevents reading.
 */
export function changeFeed(store: Store, onError: (error: unknown) => void) {
  const { version, events: eventsOf } = changeStore(store);
  const start = randomUUID();
  const readers = new Set<Reading>();
  let seen = version();
  let changes = 0;
  let timer: NodeJS.Timeout | undefined;

  const look = (): void => {
    try {
      const now = version();
      if (now !== seen) changes += 1;
      seen = now;
      for (const reader of readers) tell(reader);
    } catch (error) {
      onError(error);
    }
  };

  function tell(reader: Reading): void {
    const bytes = sizeOf(reader.log);
    if (bytes !== reader.bytes) reader.send({ event: 'grew', data: JSON.stringify({ bytes }) });
    reader.bytes = bytes;
    if (reader.told === changes) return;
    const its = eventsOf(reader.projectId);
    const isDue = performance.now() - reader.toldAt >= OTHER_MS;
    if (its === reader.events && !isDue) return;
    Object.assign(reader, { events: its, told: changes, toldAt: performance.now() });
    reader.send({ event: 'changed', data: '{}', id: `${start}.${changes}` });
  }

  return {
    /** @returns a function that removes the reader. */
    add(reader: Reader): () => void {
      if (readers.size === 0) {
        look();
        timer = setInterval(look, EVERY_MS);
      }
      const id = `${start}.${changes}`;
      // A new page reads once its stream is open; one that reconnects gets the changes that it missed.
      const told = [undefined, id].includes(reader.lastId) ? changes : -1;
      const events = eventsOf(reader.projectId);
      const reading = { ...reader, events, told, toldAt: Number.NEGATIVE_INFINITY, bytes: 0 };
      reader.send({ event: 'open', data: '{}', id });
      readers.add(reading);
      tell(reading);
      return () => {
        readers.delete(reading);
        if (readers.size === 0) clearInterval(timer);
      };
    },
    /** @param data the message for the open pages of a project, as JSON. */
    announce(project: number, event: string, data: string): void {
      for (const { projectId, send } of readers) if (projectId === project) send({ event, data });
    },
    readers: () => readers.size,
    end: () => clearInterval(timer),
  };
}

const sizeOf = (log: string | undefined): number =>
  log === undefined ? 0 : (lstatSync(log, { throwIfNoEntry: false })?.size ?? 0);
