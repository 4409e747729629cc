/** Whether a validation of low priority may run now. Checked often, so it is cheap. */
import { defaultSlots, slotHolders } from '../../process/slots.ts';
import type { LaneContext } from '../context.ts';
import { locksOf } from '../paths.ts';
import type { Probe } from './pairs.ts';
import { isPurposeBusy } from './purpose.ts';

export function hasFreeSlot({ store }: LaneContext, { slots }: Pick<Probe, 'slots'>): boolean {
  const held = slotHolders(locksOf(store.home)).filter(({ kind }) => kind === 'validate');
  return held.length < (slots ?? defaultSlots().validate);
}

/** Neither a slot nor the scratch tree would have to be waited for. */
export function mayValidate(context: LaneContext, probe: Pick<Probe, 'run' | 'slots'>): boolean {
  return (
    hasFreeSlot(context, probe) && !isPurposeBusy(context.store.home, 'composition', probe.run)
  );
}
