/**
 * Tries: lanes with one task, of which one is wanted. None is integrated before one is picked; the others are then
 * cancelled, and stay for inspection.
 */
import { type LaneSpec, type LaneView, laneStore, type Run } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import { addLaneEvent, type LaneContext } from './context.ts';
import { findLane } from './names.ts';

type Try = Pick<LaneView, 'id' | 'state'> & { readonly spec: Pick<LaneSpec, 'tries'> };

const isOf = ({ spec }: Pick<Try, 'spec'>, task: string): boolean => spec.tries?.of === task;

export const isSameTask = (one: Pick<Try, 'spec'>, other: Pick<Try, 'spec'>): boolean =>
  one.spec.tries !== undefined && isOf(other, one.spec.tries.of);

/** The other tries of a lane's task that were not given up. */
export const rivalsOf = <Lane extends Try>(lane: Try, all: readonly Lane[]): Lane[] =>
  all.filter((it) => it.id !== lane.id && it.state !== 'cancelled' && isSameTask(lane, it));

/** A lane, or all tries of a task. @throws {UsageError} if there is neither. */
export function lanesMeant(store: Store, run: Run, name: string): LaneView[] {
  const tries = laneStore(store)
    .ofRun(run.id)
    .filter((it) => isOf(it, name));
  return tries.length > 0 ? tries : [findLane(store, run, name)];
}

/** Picks a try: gives up the others, and restores it if need be; call it in a transaction. @returns the others. */
export function pickTry(context: LaneContext, { id }: { readonly id: string }, by: string) {
  const lanes = laneStore(context.store);
  const lane = lanes.byId(id);
  if (lane?.intent === 'cancelled') lanes.setIntent(id, 'hold');
  const given = lane === undefined ? [] : rivalsOf(lane, lanes.ofRun(lane.runId));
  for (const other of given) {
    lanes.setIntent(other.id, 'cancelled');
    const data = { key: other.key, picked: lane?.key };
    addLaneEvent(context, other, { type: 'lane.cancelled', data, by });
  }
  return given;
}
