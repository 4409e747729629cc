/** The wall clock can be set. What was noted by it and lies ahead was noted before it was set back. */

/** Clocks are put right by moments all the time. */
const MOMENTS_MS = 60_000;

/** Whether the clock was set back since: nobody knows how long ago that was. */
export const wasSetBack = (noted: Date, now: Date): boolean =>
  noted.getTime() - now.getTime() > MOMENTS_MS;
