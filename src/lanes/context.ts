import type { Environment } from '../environment.ts';
import type { Store } from '../store/open.ts';

/** What functions about lanes need. */
export interface LaneContext {
  readonly store: Store;
  readonly env: Environment;
  readonly now: () => Date;
}
