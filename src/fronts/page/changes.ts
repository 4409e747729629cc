/** Tells open pages that something has changed. What has, they read anew. */
import { randomUUID } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { changeStore } from '../../store/changes.ts';
import type { Store } from '../../store/open.ts';

interface Reader {
  readonly projectId: number;
  /** The log that the page shows. */
  readonly log: string | undefined;
  /** The last id that it got, in an earlier stream. */
  readonly lastId: string | undefined;
  readonly send: (message: { event: string; data: string; id?: string }) => void;
}

interface Reading extends Reader {
  events: string | undefined;
  /** The number of the last change that it was told. */
  told: number;
  toldAt: number;
  bytes: number;
}

const EVERY_MS = 500;
/** What is no event of the project comes together: hooks of all sessions write with each tool call. */
const OTHER_MS = 5_000;

export type ChangeFeed = ReturnType<typeof changeFeed>;

/**
 * @param store a connection on which nothing else is done: a connection does not see its own changes as such.
 * @param onError gets what keeps it from reading.
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
    /** @returns what takes the reader away. */
    add(reader: Reader): () => void {
      if (readers.size === 0) {
        look();
        timer = setInterval(look, EVERY_MS);
      }
      const id = `${start}.${changes}`;
      // A new page reads once its stream is open; one that comes back is told what it missed.
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
    /** @param data what the open pages of a project are told, as JSON. */
    announce(project: number, event: string, data: string): void {
      for (const { projectId, send } of readers) if (projectId === project) send({ event, data });
    },
    readers: () => readers.size,
    end: () => clearInterval(timer),
  };
}

const sizeOf = (log: string | undefined): number =>
  log === undefined ? 0 : (lstatSync(log, { throwIfNoEntry: false })?.size ?? 0);
