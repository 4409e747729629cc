/**
 * Brings a database up to date: one process at a time, a backup first, all files in order in one
 * transaction. Loaded only when there is something to do.
 */
import { chmodSync, closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { packageRoot } from '../package.ts';
import { connect, SCHEMA_VERSION, schemaVersion } from './connect.ts';
import { type Home, privateFolder } from './home.ts';

/** A migration may have to wait for others that migrate, and they copy the database first. */
const LOCK_TIMEOUT_MS = 60_000;

export function migrate(home: Home): void {
  const lock = takeLock(`${home.database}.migrate-lock`);
  try {
    const db = connect(home.database);
    try {
      const from = schemaVersion(db);
      // Somebody else was first.
      if (from >= SCHEMA_VERSION) return;
      if (from > 0) backUp(db, home, from);
      // Persistent, and only safe to change while nobody else opens the database for the first time.
      db.pragma('journal_mode = WAL');
      apply(db, from);
    } finally {
      db.close();
    }
  } finally {
    lock.close();
  }
}

/** An exclusive transaction on a file of its own: the kernel releases it, however we end. */
function takeLock(file: string): Database {
  closeSync(openSync(file, 'a', 0o600));
  const lock = new Sqlite(file, { timeout: LOCK_TIMEOUT_MS });
  lock.exec('BEGIN EXCLUSIVE');
  return lock;
}

function backUp(db: Database, home: Home, version: number): void {
  const folder = privateFolder(home.backups);
  const stamp = new Date().toISOString().replaceAll(':', '-');
  const copy = join(folder, `lanehold-schema-${version}-${stamp}.db`);
  if (existsSync(copy)) return;
  db.prepare('VACUUM INTO ?').run(copy);
  chmodSync(copy, 0o600);
}

function apply(db: Database, from: number): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    for (const { number, file } of migrationFiles()) {
      if (number > from) db.exec(readFileSync(file, 'utf8'));
    }
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
    db.exec('COMMIT');
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** `migrations/NNN_name.sql`, in order. */
export function migrationFiles(): { number: number; file: string }[] {
  const folder = join(packageRoot(), 'migrations');
  return readdirSync(folder)
    .filter((name) => /^\d{3}_[a-z0-9_]+\.sql$/.test(name))
    .sort()
    .map((name) => ({ number: Number(name.slice(0, 3)), file: join(folder, name) }));
}
