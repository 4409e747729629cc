import type { Environment } from '../environment.ts';
import type { Store } from '../store/open.ts';

/** What everything about lanes works with. */
export interface LaneContext {
  readonly store: Store;
  readonly env: Environment;
  readonly now: () => Date;
}
