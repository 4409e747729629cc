/** Opens a connection with the settings that all connections have. */
import Sqlite, { type Database } from 'better-sqlite3';

/** The schema that a database is migrated to. */
export interface Schema {
  /** The number of the newest migration. */
  readonly version: number;
  /** Absolute folder of the migrations; by default the package's own. */
  readonly migrations?: string;
}

/** The version is the number of the newest file in `migrations/`; a test compares. */
export const CURRENT_SCHEMA: Schema = { version: 18 };

/** How long a writer waits for another one. */
export const BUSY_TIMEOUT_MS = 5_000;

/**
 * Set on every connection, in one call. FULL, because an acknowledged record must survive a power
 * cut. The journal is kept short, because hooks end without closing the database, and the next
 * connection has to read the whole journal.
 */
const PRAGMAS = [
  'PRAGMA foreign_keys = ON',
  'PRAGMA synchronous = FULL',
  'PRAGMA trusted_schema = OFF',
  'PRAGMA wal_autocheckpoint = 100',
].join(';');

export function connect(file: string): Database {
  const db = new Sqlite(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    db.exec(PRAGMAS);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

export function schemaVersion(db: Database): number {
  return db.pragma('user_version', { simple: true }) as number;
}
