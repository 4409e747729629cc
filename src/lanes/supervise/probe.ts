/** Looks whether a lane still gets on with the others, whenever its tree has changed. */
import type { Plan } from './plan.ts';
import type { Supervision } from './supervision.ts';
import { tellFailure } from './tell-failure.ts';

export interface Prober {
  /** Begins a look at this checkpoint, once the one that is going on has ended. */
  look(sha: string): void;
  /** Ends what is going on; nothing waits for it. */
  stop(): Promise<void>;
}

export function prober(it: Supervision, { settings }: Plan): Prober {
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, it.stopped.signal]);
  let running: Promise<void> | undefined;
  const once = async (sha: string): Promise<void> => {
    const { slots } = settings;
    try {
      const { probeCompositions } = await import('../integration/compositions.ts');
      await probeCompositions(it.world, {
        run: it.run(),
        laneId: it.lane().id,
        sha,
        signal,
        ...(slots.validate === undefined ? {} : { slots: slots.validate }),
      });
    } catch (error) {
      if (signal.aborted) return;
      // A look that failed says nothing about the lanes, and the integration looks again.
      tellFailure(it, 'composition.failed', error);
    }
  };
  let newest: string | undefined;
  const untilSeen = async (): Promise<void> => {
    while (newest !== undefined && !signal.aborted) {
      const sha = newest;
      newest = undefined;
      await once(sha);
    }
    running = undefined;
  };
  return {
    look(sha) {
      newest = sha;
      running ??= untilSeen();
    },
    async stop() {
      ending.abort();
      await running;
    },
  };
}
