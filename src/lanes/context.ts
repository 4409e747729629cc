import type { Environment } from '../environment.ts';
import type { Store } from '../store/open.ts';

/** What functions about lanes need. */
export interface LaneContext {
  readonly store: Store;
  readonly env: Environment;
  readonly now: () => Date;
}

/** Clocks are corrected by small amounts all the time. */
const TOLERANCE_MS = 60_000;

/** Whether the clock was set back since. If so, the time passed since then is unknown. */
export const wasSetBack = (noted: Date, now: Date): boolean =>
  noted.getTime() - now.getTime() > TOLERANCE_MS;
