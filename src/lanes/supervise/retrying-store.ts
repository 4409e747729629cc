/** A store whose writes are repeated while another process keeps the database locked. */
import { StoreLockedError } from '../../store/errors.ts';
import type { Store } from '../../store/open.ts';

/** Each try waits for some seconds. Afterwards the error is reported. */
const TRIES = 120;

/**
 * A supervisor that gave up would leave its worker unsupervised. Nothing else of it may happen before
 * the write, so the whole process waits.
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
