import { failedOnFullDisk } from '../../store/reserve.ts';
import { FencedError, type Supervision } from './supervision.ts';

/**
 * Tells what went wrong beside the work, and does not end it. Where that cannot even be written down,
 * or is no longer ours to write, whoever does the work hears of it at its next step.
 */
export function tellFailure(it: Supervision, type: string, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  try {
    it.event(type, { why });
  } catch (failure) {
    const isHeardElsewhere =
      failure instanceof FencedError || failedOnFullDisk(it.context.store.home, failure);
    if (!isHeardElsewhere) throw failure;
  }
}
