/**
 * Checks whether a lane still fits together with the others: whenever its tree has changed, and again when a slot
 * becomes free for an outstanding validation.
 */

import type { Probe } from '../fit/compositions.ts';
import { hasFreeSlot, scratchTree } from '../tree/scratch-tree.ts';
import { type Plan, recordFailure, type Supervision } from './supervision.ts';

/** Checks a checkpoint. @returns whether a validation is left. */
export async function probe(it: Supervision, look: Omit<Probe, 'run' | 'laneId'>) {
  try {
    const { probeCompositions } = await import('../fit/compositions.ts');
    return await probeCompositions(it.context, { run: it.run(), laneId: it.lane().id, ...look });
  } catch (error) {
    // A failed check proves nothing, and the integration will check again.
    if (!look.signal.aborted) recordFailure(it, 'composition.failed', error);
    return false;
  }
}

export function prober(it: Supervision, { settings }: Plan) {
  const slots = settings.slots.validate;
  const ending = new AbortController();
  const signal = AbortSignal.any([ending.signal, it.stopped.signal]);
  let running: Promise<void> | undefined;
  let newest: string | undefined;
  let left: string | undefined;
  const check = async (sha: string): Promise<void> => {
    left = (await probe(it, { sha, slots, signal })) ? sha : undefined;
    running = undefined;
  };
  /** Whether a validation would have to wait neither for a slot nor for the scratch tree. */
  const isFree = (): boolean => {
    const { home } = it.context.store;
    return hasFreeSlot(home, slots) && !scratchTree(home, 'composition', it.run()).isBusy();
  };
  return {
    /** Checks this checkpoint after the running check. */
    look(sha: string): void {
      newest = sha;
    },
    poll(): void {
      if (running !== undefined || signal.aborted) return;
      const next = newest ?? (left !== undefined && isFree() ? left : undefined);
      newest = undefined;
      if (next === undefined) return;
      left = undefined;
      running = check(next);
    },
    async stop(): Promise<void> {
      ending.abort();
      await running;
    },
  };
}
