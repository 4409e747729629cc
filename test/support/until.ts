import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 25;

/**
 * Asks again and again until the answer is neither false nor nothing, and returns it.
 *
 * @param what is waited for, as the failure says it; a function is asked once time is up.
 */
export async function until<T>(
  what: string | (() => string),
  condition: () => T | Promise<T>,
  deadlineMs = 20_000,
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
