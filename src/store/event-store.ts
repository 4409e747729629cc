/**
 * The store of one event of a hook: everything that it writes is one transaction, which is committed last. Nothing
 * waits for a lock of another process: a refusal is recorded, and the event is answered again.
 */
import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { attempt } from '../base/errors.ts';
import type { Home } from '../base/files/home.ts';
import { CURRENT_SCHEMA, wasRefused } from './connect.ts';
import { explainStoreError, StoreLockedError } from './errors.ts';
import { openStore, type Store } from './open.ts';

export interface EventStore extends Store {
  /** Begins an event, or begins it again: earlier writes that were not committed are dropped. */
  begin(event: EventStart): void;
  /** Whether a lock of another process has prevented a read or a write. */
  isRefused(): boolean;
  /** Whether the lock of writers is free now, and a number that changes after others have written. */
  lookAtLock(): { readonly isFree: boolean; readonly written: number };
  /** Whether there are uncommitted writes, or writes for the end. */
  hasWritten(): boolean;
  /** @throws if anything cannot be written. */
  commit(): void;
  rollBack(): void;
  /** Called after the answer to an event, whose writes may have made the journal long. */
  shortenJournal(): void;
  /** Differs from the program's own once a newer one has changed the database. */
  schemaVersion(): number;
}

interface EventStart {
  /** The database counts as locked: each write fails at once. */
  readonly isLocked: boolean;
  /** Called in the transaction before the first write. */
  readonly onFirstWrite: () => void;
}

/**
 * The longest journal. A Node that answers one event ends without closing the database, and the next one has to read
 * the whole journal. SQLite would never restart the journal, because each process forgets how much is copied.
 */
const JOURNAL_BYTES = 1_000_000;

/** Opens a connection for events. @throws what `openStore` throws. */
export async function openEventStore(home: Home): Promise<EventStore> {
  const { db } = await openStore(home, CURRENT_SCHEMA, { waits: false });
  return eventStoreOn(db, home);
}

/** @param db a connection that does not wait. */
export function eventStoreOn(db: Database, home: Home): EventStore {
  const step = {
    begin: db.prepare('BEGIN IMMEDIATE'),
    commit: db.prepare('COMMIT'),
    rollBack: db.prepare('ROLLBACK'),
  };
  const version = db.prepare<[], number>('PRAGMA user_version').pluck();
  let event: EventStart = { isLocked: false, onFirstWrite: () => undefined };
  let last: (() => void)[] = [];
  /** SQLite has dropped the transaction, as it does on a full disk. */
  let isLost = false;

  function begin(): void {
    if (db.inTransaction) return;
    if (event.isLocked || isLost || wasRefused(db)) {
      throw new StoreLockedError(home.database, undefined);
    }
    try {
      step.begin.run();
    } catch (error) {
      wasRefused(db, error);
      throw error;
    }
    save(event.onFirstWrite);
  }

  function save<T>(work: () => T): T {
    try {
      // Within the event's transaction it is a savepoint.
      return db.transaction(work)();
    } catch (error) {
      isLost = !db.inTransaction;
      throw error;
    }
  }

  function write<T>(work: () => T): T {
    try {
      begin();
      return save(work);
    } catch (error) {
      throw explainStoreError(home.database, error);
    }
  }

  function shortenJournal(): void {
    const stats = statSync(`${home.database}-wal`, { throwIfNoEntry: false });
    // Another process that reads may prevent it; then a later event repeats it.
    if (stats && stats.size > JOURNAL_BYTES && !db.inTransaction)
      attempt(() => db.pragma('wal_checkpoint(TRUNCATE)'));
  }

  function rollBack(): void {
    last = [];
    if (db.inTransaction) step.rollBack.run();
  }

  return {
    db,
    home,
    write,
    writeApart(work) {
      if (db.inTransaction) return write(work);
      const result = write(work);
      step.commit.run();
      return result;
    },
    writeLast(work) {
      if (event.isLocked) throw new StoreLockedError(home.database, undefined);
      last.push(work);
    },
    begin(next) {
      rollBack();
      wasRefused(db, null);
      isLost = false;
      event = next;
    },
    isRefused: () => wasRefused(db),
    lookAtLock() {
      const written = attempt(() => db.pragma('data_version', { simple: true }) as number) ?? 0;
      const isFree = attempt(() => step.begin.run()) !== undefined;
      if (isFree) step.rollBack.run();
      return { isFree, written };
    },
    hasWritten: () => db.inTransaction || last.length > 0,
    commit() {
      for (const work of last) write(work);
      if (isLost) throw new StoreLockedError(home.database, undefined);
      if (db.inTransaction) step.commit.run();
      last = [];
    },
    shortenJournal,
    rollBack,
    schemaVersion: () => version.get() ?? 0,
    close: () => db.close(),
  };
}
