/** A store that counts the statements that are run on it. */
import type { Database, Statement } from 'better-sqlite3';
import type { Store } from '../../src/store/open.ts';

/** @param onRun receives the SQL of each statement that is run. */
export function countedStore(store: Store, onRun: (sql: string) => void): Store {
  const watched = (statement: Statement): Statement =>
    new Proxy(statement, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          const result = Reflect.apply(value, target, given);
          if (result === target) return watched(target);
          if (name !== 'bind') onRun(target.source);
          return result;
        };
      },
    });
  const db: Database = new Proxy(store.db, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name === 'prepare') return (sql: string) => watched(target.prepare(sql));
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { ...store, db };
}
