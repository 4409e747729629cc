/** The store of a front. Loads nothing before it is asked for: most starts need no database. */
import type { Store } from '../store/open.ts';

/** A store that is opened at the first call; `close` closes it, if it was. */
export function storeOnDemand(env: NodeJS.ProcessEnv) {
  let store: Promise<Store> | undefined;
  return {
    store(): Promise<Store> {
      store ??= Promise.all([import('../store/open.ts'), import('../base/files/home.ts')]).then(
        ([{ openStore }, { homeOf }]) => openStore(homeOf(env)),
      );
      return store;
    },
    async close(): Promise<void> {
      // The caller that opened it has seen the failure.
      (await store?.catch(() => undefined))?.close();
    },
  };
}
