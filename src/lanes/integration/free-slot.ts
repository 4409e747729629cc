/** Whether a validation that nobody waits for may be run now: looked at again and again, so cheaply. */
import { defaultSlots, slotHolders } from '../../process/slots.ts';
import type { LaneWorld } from '../context.ts';
import { locksOf } from '../places.ts';
import type { Probe } from './pairs.ts';
import { isPurposeBusy } from './purpose.ts';

export function hasFreeSlot({ store }: LaneWorld, { slots }: Pick<Probe, 'slots'>): boolean {
  const held = slotHolders(locksOf(store.home)).filter(({ kind }) => kind === 'validate');
  return held.length < (slots ?? defaultSlots().validate);
}

/** Neither a slot nor the tree for it would have to be waited for. */
export function mayValidate(world: LaneWorld, probe: Pick<Probe, 'run' | 'slots'>): boolean {
  return hasFreeSlot(world, probe) && !isPurposeBusy(world.store.home, 'composition', probe.run);
}
