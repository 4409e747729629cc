/** Why a worker is stopped from outside; the reason of the abort signal. */
import { FencedError, type Supervision } from './supervision.ts';

export type Stop =
  | { readonly kind: 'cancelled' }
  | {
      readonly kind: 'paused' | 'budget' | 'disk' | 'stalled' | 'timeout' | 'lost';
      readonly why: string;
    };

const POLL_MS = 250;

export function stopWorker(it: Supervision, stop: Stop): void {
  if (!it.stopped.signal.aborted) it.stopped.abort(stop);
}

export function stopOf(it: Supervision): Stop | undefined {
  return it.stopped.signal.aborted ? (it.stopped.signal.reason as Stop) : undefined;
}

/** Polls the intent of lane and run while the supervisor is busy. */
export function watchIntent(it: Supervision): { stop(): void } {
  const check = (): void => {
    const { intent } = it.lane();
    const run = it.run();
    if (intent === 'cancelled' || run.intent === 'cancelled') stopWorker(it, { kind: 'cancelled' });
    // A validation goes on: it uses no quota, and its result is wanted.
    const working = ['starting', 'running'].includes(it.attempt().state);
    if (run.intent === 'paused' && working && it.attempt().kind !== 'validate') {
      stopWorker(it, { kind: 'paused', why: run.pauseReason ?? 'the run is paused' });
    }
  };
  check();
  const timer = setInterval(() => {
    try {
      check();
    } catch (error) {
      // Another supervisor has taken over; the main flow finds out at its next write.
      if (!(error instanceof FencedError)) throw error;
    }
  }, POLL_MS);
  return { stop: () => clearInterval(timer) };
}
