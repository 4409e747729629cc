import type { Store } from '../store/open.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What everything about lanes works with. */
export interface LaneWorld {
  readonly store: Store;
  readonly env: Environment;
  readonly now: () => Date;
}
