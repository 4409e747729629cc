/** Lanes for other machines of the team are offered, and not started here. */
import { type LaneView, laneStore } from '../../store/lanes.ts';
import { type TeamLane, teamLaneStore } from '../../store/offered-lanes.ts';
import type { Run } from '../../store/runs.ts';
import { addLaneEvent, type LaneContext } from '../spec/context.ts';

/** Notes that a lane is to be offered; the next exchange with the board does it. @returns what it waits for. */
export function offerLane(context: LaneContext, run: Run, { id }: LaneView): string {
  const { store, now } = context;
  const team = teamLaneStore(store);
  return store.write(() => {
    const lane = laneStore(store).byId(id);
    if (lane?.state !== 'ready' || run.intent !== 'active') return `it is ${lane?.state ?? 'gone'}`;
    const known = team.of(id);
    if (isOpen(known) && known.specRev === lane.specRev) return offerWords(known);
    const { rev = 0, epoch = 0 } = known ?? {};
    const { specRev } = lane;
    const offer: TeamLane = {
      laneId: id,
      rev: rev + 1,
      specRev,
      state: 'to-offer',
      epoch,
      host: null,
      why: null,
      at: now(),
    };
    team.put(offer);
    const data = { rev: offer.rev, on: lane.spec.on };
    addLaneEvent(context, lane, { type: 'lane.offered', data, by: 'reconcile' });
    return offerWords(offer);
  });
}

/** Whether other machines may have it. */
export const isOpen = (known: TeamLane | undefined): known is TeamLane =>
  known !== undefined && known.state !== 'ended';

/** A clause about an open lane. */
export function offerWords({ state, host, why }: TeamLane): string {
  if (state === 'claimed') return `${host} works on it`;
  const fact =
    state === 'offered' ? 'it is offered to the team' : 'it is not offered to the team yet';
  return why === null ? fact : `${fact}: ${why}`;
}
