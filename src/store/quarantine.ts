/** Moves a damaged database aside and starts a new one; the old file is kept, since it may be repairable. */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type Home, privateFolder } from '../base/files/home.ts';
import { explainStoreError, indexDamage, StoreCorruptError } from './errors.ts';
import { openStore } from './open.ts';

/** SQLite's side files: a new database must not be opened with those of the old one. */
const SIDE_FILES = ['-wal', '-shm'];

/**
 * Moves a damaged database into the backups and starts a new one. The caller makes sure that
 * no other repair runs at the same time.
 *
 * @returns where the damaged file is now; `undefined` if the database can be opened.
 */
export async function quarantineDamaged(home: Home, now: Date): Promise<string | undefined> {
  if (!(await isDamaged(home))) return undefined;
  const moment = now.toISOString().replaceAll(/[:.]/g, '-');
  const kept = join(privateFolder(home.backups), `damaged-${moment}.db`);
  // The main file is moved last, so that an interrupted repair is repeated.
  for (const suffix of [...SIDE_FILES, '']) {
    if (existsSync(home.database + suffix)) renameSync(home.database + suffix, kept + suffix);
  }
  (await openStore(home)).close();
  return kept;
}

async function isDamaged(home: Home): Promise<boolean> {
  try {
    await assertIntact(home);
    return false;
  } catch (error) {
    const explained = explainStoreError(home.database, error);
    if (explained instanceof StoreCorruptError) return true;
    throw explained;
  }
}

/**
 * Opens the database and lets SQLite check it.
 *
 * @throws {StoreCorruptError}, for a damaged search index the error of `indexDamage`, and what opening throws.
 */
export async function assertIntact(home: Home): Promise<void> {
  const store = await openStore(home);
  const damage = store.db.pragma('quick_check', { simple: true });
  store.close();
  if (String(damage).startsWith('fts5')) throw indexDamage(home.database, damage);
  if (damage !== 'ok') throw new StoreCorruptError(home.database, damage);
}
