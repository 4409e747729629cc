import type { Database } from 'better-sqlite3';
import type { Store } from './open.ts';

/**
 * Makes the statements of a table once for each connection: to read what a lane's state is made of
 * takes SQLite longer than to answer it.
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
