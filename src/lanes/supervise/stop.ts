/** Why a worker is stopped from outside; carried as the reason of the abort signal. */
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

/** Looks at what people want of the lane while the supervisor does something long. */
export function watchIntent(it: Supervision): { stop(): void } {
  const look = (): void => {
    const { intent } = it.lane();
    const run = it.run();
    if (intent === 'cancelled' || run.intent === 'cancelled') stopWorker(it, { kind: 'cancelled' });
    // What only proves goes on: it costs nobody's quota, and the result is wanted.
    const working = ['starting', 'running'].includes(it.attempt().state);
    if (run.intent === 'paused' && working && it.attempt().kind !== 'validate') {
      stopWorker(it, { kind: 'paused', why: run.pauseReason ?? 'the run is paused' });
    }
  };
  look();
  const timer = setInterval(() => {
    try {
      look();
    } catch (error) {
      // Another one has the attempt by now; whoever does the work hears of it at its next step.
      if (!(error instanceof FencedError)) throw error;
    }
  }, POLL_MS);
  return { stop: () => clearInterval(timer) };
}
