/** Opens a connection with the settings that all connections have. */
import Sqlite, { type Database } from 'better-sqlite3';
import { codeOf } from '../base/errors.ts';

export interface Schema {
  /** The number of the newest migration. */
  readonly version: number;
  /** Absolute folder of the migrations; by default the package's own. */
  readonly migrations?: string;
}

/** The version is the number of the newest file in `migrations/`; a test compares. */
export const CURRENT_SCHEMA: Schema = { version: 33 };

/** The time for which a command waits for another writer. */
export const BUSY_TIMEOUT_MS = 5_000;

/** The settings of every connection, in one call. The store of events keeps the journal short itself. */
const PRAGMAS = ['PRAGMA foreign_keys = ON', 'PRAGMA trusted_schema = OFF'];

export interface Connecting {
  /**
   * Whether it waits for locks of other processes, and for the disk: a record that a command has acknowledged survives
   * a power cut. An event of a hook waits for neither: the end of a process loses nothing, and a power cut may lose the
   * events of the last seconds. The database stays valid.
   */
  readonly waits: boolean;
}

export const WAITING: Connecting = { waits: true };

export function connect(file: string, { waits } = WAITING): Database {
  const db = new Sqlite(file, { timeout: waits ? BUSY_TIMEOUT_MS : 0 });
  try {
    const [pages, synchronous] = waits ? [100, 'FULL'] : [0, 'NORMAL'];
    const own = [`PRAGMA wal_autocheckpoint = ${pages}`, `PRAGMA synchronous = ${synchronous}`];
    db.exec([...PRAGMAS, ...own].join(';'));
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Makes a connection wait longer than a command usually does. */
export function waitLonger(db: Database, ms: number): void {
  db.pragma(`busy_timeout = ${ms}`);
}

const refused = new WeakSet<Database>();

/**
 * Whether a lock of another process has kept something from being read or written by the connection.
 *
 * @param error recorded if it reports a lock; `null`: the record is cleared.
 */
export function wasRefused(db: Database, error?: unknown): boolean {
  if (error === null) refused.delete(db);
  else if (/^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(error))) refused.add(db);
  return refused.has(db);
}

export function schemaVersion(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number;
}
