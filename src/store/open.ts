/** Opens the store: one SQLite file that many processes may use at once. */
import { closeSync, existsSync, openSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { type Home, HomeUnavailableError, privateFolder } from '../base/files/home.ts';
import {
  type Connecting,
  CURRENT_SCHEMA,
  connect,
  type Schema,
  schemaVersion,
  WAITING,
} from './connect.ts';
import { explainStoreError, StoreTooNewError } from './errors.ts';

export interface Store {
  readonly db: Database;
  readonly home: Home;
  /** Runs `work` in one immediate transaction; in an event, in the event's. */
  write<T>(work: () => T): T;
  /** Runs a write that may stay although the event fails; it does not begin the event's transaction. */
  writeApart<T>(work: () => T): T;
  /** Runs a write on which nothing depends; in an event it comes last, before the commit. */
  writeLast(work: () => void): void;
  close(): void;
}

/**
 * Opens the store, and first creates or migrates it if needed. On a full disk the reserve is deleted for that, so that
 * holds and running lanes stay known.
 *
 * @param schema the one that this program reads and writes.
 * @throws {StoreTooNewError | StoreCorruptError | StoreLockedError | HomeUnavailableError}
 */
export async function openStore(
  home: Home,
  schema: Schema = CURRENT_SCHEMA,
  connecting: Connecting = WAITING,
): Promise<Store> {
  try {
    return await open(home, schema, connecting);
  } catch (error) {
    if (!(error instanceof HomeUnavailableError)) throw error;
    const { failedOnFullDisk, spendReserve } = await import('./reserve.ts');
    if (!failedOnFullDisk(home, error) || !spendReserve(home)) throw error;
    return await open(home, schema, connecting);
  }
}

async function open(home: Home, schema: Schema, connecting: Connecting): Promise<Store> {
  const file = home.database;
  try {
    if (!existsSync(file)) {
      privateFolder(home.root);
      // SQLite gives its side files the permissions of the database file.
      closeSync(openSync(file, 'a', 0o600));
    }
    const [first, version] = connectVersioned(file, connecting);
    if (version === schema.version) return storeOn(first, home);
    first.close();
    if (version > schema.version) throw new StoreTooNewError(file, version, schema.version);
    const { migrate } = await import('./migrate.ts');
    migrate(home, schema, connecting);
    const [db, found] = connectVersioned(file, connecting);
    if (found === schema.version) return storeOn(db, home);
    db.close();
    throw new StoreTooNewError(file, found, schema.version);
  } catch (error) {
    throw explainStoreError(file, error);
  }
}

function connectVersioned(file: string, connecting: Connecting): readonly [Database, number] {
  const db = connect(file, connecting);
  try {
    return [db, schemaVersion(db)];
  } catch (error) {
    // Another process may have locked it; the next try opens another connection.
    db.close();
    throw error;
  }
}

export function storeOn(db: Database, home: Home): Store {
  function write<T>(work: () => T): T {
    try {
      return db.transaction(work).immediate();
    } catch (error) {
      throw explainStoreError(home.database, error);
    }
  }
  return {
    db,
    home,
    write,
    writeApart: write,
    writeLast: write,
    close: () => db.close(),
  };
}
