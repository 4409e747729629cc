/** A store whose writes wait for as long as another process keeps the database to itself. */
import { StoreLockedError } from '../../store/errors.ts';
import type { Store } from '../../store/open.ts';

/** Of some seconds each, for that is how long one try waits. Then somebody should hear of it. */
const TRIES = 120;

/**
 * A supervisor that gave up would leave its worker without anybody; nothing else that it does may
 * happen before the write, so the whole process waits.
 */
export function retryingStore(store: Store): Store {
  return {
    ...store,
    write(work) {
      for (let tries = 1; ; tries += 1) {
        try {
          return store.write(work);
        } catch (error) {
          if (!(error instanceof StoreLockedError) || tries === TRIES) throw error;
        }
      }
    },
  };
}
