import { failedOnFullDisk } from '../../store/reserve.ts';
import { FencedError, type Supervision } from './supervision.ts';

/**
 * Records a failure that does not end the work as an event. If it cannot be written, since the disk is
 * full or another supervisor has taken over, the main flow finds out at its next step.
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
