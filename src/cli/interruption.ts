/** What Ctrl-C and other requests to end do to a command that takes long. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Streams } from './context.ts';

/** What a shell reports for a program that ended on Ctrl-C. */
export const INTERRUPTED = 130;

/** Does `work` with a signal that aborts when the process is asked to end. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  try {
    return await work(interruption.signal);
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}

/** Repeats `step` until it says that it is done, stdout is closed, or Ctrl-C. */
export function repeatedly(
  { stdout }: Streams,
  everyMs: number,
  step: () => Promise<'more' | 'done'>,
): Promise<void> {
  return interruptible(async (signal) => {
    while (!signal.aborted && !stdout.writableEnded) {
      if ((await step()) === 'done') return;
      await pause(everyMs, undefined, { signal }).catch(() => undefined);
    }
  });
}
