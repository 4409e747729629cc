/** Migrates a database: one process at a time, after a backup, in one transaction. Loaded only when needed. */
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { ExplainedError } from '../base/errors.ts';
import { type Home, privateFolder } from '../base/files/home.ts';
import { packageRoot } from '../base/files/package.ts';
import { takeLockWithin } from '../base/process/held-lock.ts';
import { type Connecting, connect, type Schema, schemaVersion } from './connect.ts';
import { explainStoreError, StoreLockedError } from './errors.ts';

/** How long a command waits for another process that migrates; an event of a hook is answered again instead. */
const LOCK_TIMEOUT_MS = 8_000;

export function migrate(home: Home, schema: Schema, connecting: Connecting): void {
  const waitMs = connecting.waits ? LOCK_TIMEOUT_MS : 0;
  const lock = takeLockWithin(`${home.database}.migrate-lock`, waitMs);
  if (lock === undefined) throw new StoreLockedError(home.database, undefined);
  try {
    const db = connect(home.database, connecting);
    try {
      const from = schemaVersion(db);
      // Another process has migrated meanwhile.
      if (from >= schema.version) return;
      if (from > 0) backUp(db, home, from);
      // The mode is stored in the file; changing it is only safe under the lock.
      db.pragma('journal_mode = WAL');
      apply(db, from, schema);
    } finally {
      db.close();
    }
  } finally {
    lock.release();
  }
}

function backUp(db: Database, home: Home, version: number): void {
  const folder = privateFolder(home.backups);
  const stamp = new Date().toISOString().replaceAll(':', '-');
  const copy = join(folder, `lanehold-schema-${version}-${stamp}.db`);
  if (existsSync(copy)) return;
  db.prepare('VACUUM INTO ?').run(copy);
  chmodSync(copy, 0o600);
  // The backup can then be used in place of the database.
  const backup = connect(copy);
  backup.pragma('journal_mode = WAL');
  backup.close();
}

export function apply(db: Database, from: number, schema: Schema): void {
  db.transaction(() => {
    for (const { number, file } of migrationFiles(schema)) {
      if (number > from) applyOne(db, file);
    }
    db.pragma(`user_version = ${schema.version}`);
  }).immediate();
}

function applyOne(db: Database, file: string): void {
  try {
    db.exec(readFileSync(file, 'utf8'));
  } catch (error) {
    const explained = explainStoreError(db.name, error);
    // A full disk and similar causes have their own explanation. Other errors come from the migration.
    if (explained !== error) throw explained;
    const why = error instanceof Error ? error.message : String(error);
    throw new ExplainedError(`${db.name} cannot be upgraded, ${basename(file)} fails: ${why}`, {
      code: 'STORE_MIGRATION',
      // All migrations run in one transaction.
      hint: 'it is as it was: go back to the lanehold that wrote it, and report this',
      cause: error,
    });
  }
}

/** `NNN_name.sql`, in order. */
function migrationFiles(schema: Schema): { number: number; file: string }[] {
  const folder = schema.migrations ?? join(packageRoot(), 'migrations');
  return readdirSync(folder)
    .filter((name) => /^\d{3}_[a-z0-9_]+\.sql$/.test(name))
    .sort()
    .map((name) => ({ number: Number(name.slice(0, 3)), file: join(folder, name) }));
}
