/** Opens the store: one SQLite file that many processes may use at once. */
import { closeSync, existsSync, openSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { type Home, HomeUnavailableError, privateFolder } from '../base/files/home.ts';
import { BUSY_TIMEOUT_MS, CURRENT_SCHEMA, connect, type Schema, schemaVersion } from './connect.ts';
import { explainStoreError, StoreTooNewError } from './errors.ts';

export interface Store {
  readonly db: Database;
  readonly home: Home;
  /** Runs `work` in one immediate transaction. */
  write<T>(work: () => T): T;
  close(): void;
}

/**
 * Opens the store, and creates or migrates it first where needed. On a full disk the reserve is
 * deleted for that, so that holds and running lanes stay known.
 *
 * @param schema what this program reads and writes.
 * @throws {StoreTooNewError | StoreCorruptError | StoreLockedError | HomeUnavailableError}
 */
export async function openStore(home: Home, schema: Schema = CURRENT_SCHEMA): Promise<Store> {
  try {
    return await open(home, schema);
  } catch (error) {
    if (!(error instanceof HomeUnavailableError)) throw error;
    const { failedOnFullDisk, spendReserve } = await import('./reserve.ts');
    if (!failedOnFullDisk(home, error) || !spendReserve(home)) throw error;
    return await open(home, schema);
  }
}

async function open(home: Home, schema: Schema): Promise<Store> {
  const file = home.database;
  try {
    if (!existsSync(file)) createPrivately(home);
    let db = connect(file);
    if (schemaVersion(db) < schema.version) {
      db.close();
      const { migrate } = await import('./migrate.ts');
      migrate(home, schema);
      db = connect(file);
    }
    const found = schemaVersion(db);
    if (found > schema.version) {
      db.close();
      throw new StoreTooNewError(file, found, schema.version);
    }
    return storeOn(db, home);
  } catch (error) {
    throw explainStoreError(file, error);
  }
}

/**
 * Runs `work` with a short wait for other writers: what recall notes can be left out, and an agent does not
 * wait for it.
 */
export async function withShortWait<T>(
  { db }: Store,
  waitMs: number,
  work: () => T | Promise<T>,
): Promise<T> {
  db.pragma(`busy_timeout = ${waitMs}`);
  try {
    return await work();
  } finally {
    db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
}

/** SQLite gives its side files the permissions of the database file. */
function createPrivately(home: Home): void {
  privateFolder(home.root);
  closeSync(openSync(home.database, 'a', 0o600));
}

export function storeOn(db: Database, home: Home): Store {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  return {
    db,
    home,
    write(work) {
      try {
        begin.run();
        const result = work();
        commit.run();
        return result;
      } catch (error) {
        if (db.inTransaction) rollback.run();
        throw explainStoreError(home.database, error);
      }
    },
    close: () => db.close(),
  };
}

/**
 * Prepares the statements of a table once for each connection. Preparing those of a lane takes longer
 * than running them.
 */
export function preparedOnce<Statements>(
  prepare: (store: Store) => Statements,
): (store: Store) => Statements {
  const known = new WeakMap<Database, Statements>();
  return (store) => {
    const found = known.get(store.db);
    if (found !== undefined) return found;
    const statements = prepare(store);
    known.set(store.db, statements);
    return statements;
  };
}
