/** A store in memory, for a machine on which no database exists or can be created. */
import { existsSync } from 'node:fs';
import { type Home, HomeUnavailableError, homeOf } from '../base/files/home.ts';
import { CURRENT_SCHEMA, connect } from './connect.ts';
import { openStore, type Store, storeOn } from './open.ts';

/**
 * The store, or an empty one in memory if there is none and its folder cannot be written, as on build
 * machines. A database that exists but cannot be opened is an error: it may contain records that count.
 *
 * @throws what `openStore` throws, where a database may exist.
 */
export async function openStoreOrNone(env: NodeJS.ProcessEnv): Promise<Store> {
  let home: Home | undefined;
  try {
    home = homeOf(env);
    return await openStore(home);
  } catch (error) {
    const none = home === undefined || !existsSync(home.database);
    if (!(error instanceof HomeUnavailableError) || !none) throw error;
    return memoryStore(home ?? homeOf({ LANEHOLD_HOME: '/nonexistent' }));
  }
}

/** The store, or an empty one in memory if there is none: for work that must leave no trace. */
export async function existingStore(env: NodeJS.ProcessEnv): Promise<Store> {
  const home = homeOf(env);
  return existsSync(home.database) ? openStore(home) : memoryStore(home);
}

async function memoryStore(home: Home): Promise<Store> {
  const { apply } = await import('./migrate.ts');
  const db = connect(':memory:');
  apply(db, 0, CURRENT_SCHEMA);
  return storeOn(db, home);
}
