/** One connection with the settings that every connection has. */
import Sqlite, { type Database } from 'better-sqlite3';

/** What a database is brought to. */
export interface Schema {
  /** The number of the newest migration. */
  readonly version: number;
  /** Absolute folder of the migrations; by default the package's own. */
  readonly migrations?: string;
}

/** The version is the number of the newest file in `migrations/`; a test compares. */
export const CURRENT_SCHEMA: Schema = { version: 3 };

/** How long a writer waits for another one. */
export const BUSY_TIMEOUT_MS = 5_000;

/**
 * Set on every connection, in one call. A record that was acknowledged must survive a power cut:
 * hence FULL. Hooks end without closing, so whoever opens the database next reads the whole journal
 * again: it has to stay short.
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
