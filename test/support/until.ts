import { setTimeout as sleep } from 'node:timers/promises';
import { vi } from 'vitest';

const POLL_MS = 25;
/** Below the time limit of a test, so that a failure says what was waited for. */
const DEADLINE_MS = 45_000;

/**
 * Polls a condition until it is neither false, null nor undefined, and returns it.
 *
 * @param what names the condition in the failure; a function is called when time is up.
 */
export async function until<T>(
  what: string | (() => string),
  condition: () => T | Promise<T>,
  deadlineMs = DEADLINE_MS,
): Promise<NonNullable<T>> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const found = await condition();
    if (found !== false && found !== undefined && found !== null) return found;
    if (performance.now() > end) {
      const text = typeof what === 'string' ? what : what();
      throw new Error(`waited ${deadlineMs} ms in vain: ${text}`);
    }
    await sleep(POLL_MS);
  }
}

/** Polls a check until it does not throw, and returns its result. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: DEADLINE_MS, interval: POLL_MS });
}
