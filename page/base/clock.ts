/** The time that relative times are counted from: it ticks each second while the page is looked at. */
import { signal } from '@preact/signals';

const TICK_MS = 1_000;

export const now = signal(Date.now());

setInterval(() => {
  if (document.visibilityState === 'visible') now.value = Date.now();
}, TICK_MS);
document.addEventListener('visibilitychange', () => {
  now.value = Date.now();
});
