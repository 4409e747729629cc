/** The wall clock can be set back. A stored time that lies ahead of now was noted before that. */

/** Clocks are corrected by small amounts all the time. */
const TOLERANCE_MS = 60_000;

/** Whether the clock was set back since. If so, the time passed since then is unknown. */
export const wasSetBack = (noted: Date, now: Date): boolean =>
  noted.getTime() - now.getTime() > TOLERANCE_MS;
