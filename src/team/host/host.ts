/** What the parts of a lending machine share. */
import type { LaneContext } from '../../lanes/spec/context.ts';
import { blockLane, wantLane } from '../../lanes/spec/edit.ts';
import { laneStore, runStore } from '../../store/lanes.ts';
import { type ClaimEnding, type TeamClaim, teamClaimStore } from '../../store/team-claims.ts';
import type { Member } from '../credentials.ts';
import type { teamSettings } from '../settings.ts';

export interface Host {
  readonly context: LaneContext;
  readonly member: Member;
  readonly settings: ReturnType<typeof teamSettings>;
  readonly log: (line: string) => void;
}

/** As the author of events of lanes. */
export const BY = 'team';

export function change(
  { context: { store } }: Pick<Host, 'context'>,
  claim: TeamClaim,
  note: Partial<TeamClaim>,
): void {
  const claims = teamClaimStore(store);
  store.write(() => {
    const now = claims.byId(claim.lane, claim.epoch);
    if (now !== undefined) claims.put({ ...now, ...note });
  });
}

/** Ends a claim; the board is told as soon as it can be. */
export function end(host: Host, claim: TeamClaim, ending: ClaimEnding, why: string | null): void {
  const endedAt = host.context.now();
  change(host, claim, { ending, endedAt, why, tries: 0 });
  const how = ending.kind === 'finish' ? ending.outcome : `given back (${ending.why})`;
  host.log(`${claim.key ?? claim.lane}: ${how}${why ? `: ${why}` : ''}`);
}

const STOPPED = {
  lease: 'the board was not heard of for longer than its lease',
  cancel: 'its home has cancelled it',
  pause: 'its home has paused it',
  draining: 'this machine is lent no more',
  lost: 'another machine has it now',
} as const;

/** Stops the worker of a claim, with a checkpoint, by what stops every lane. */
export function stopWork(host: Host, claim: TeamClaim, stop: keyof typeof STOPPED): void {
  const { context, log } = host;
  change(host, claim, { stop });
  const lane = claim.laneId === null ? undefined : laneStore(context.store).byId(claim.laneId);
  if (lane === undefined || claim.stop === stop) return;
  blockLane(context, lane, STOPPED[stop], BY);
  log(`${claim.key}: stopped, ${STOPPED[stop]}`);
}

/** Goes on with a lane that was stopped because the board was not heard of. */
export function goOn(host: Host, claim: TeamClaim): void {
  const { context, log } = host;
  const { store } = context;
  change(host, claim, { stop: null });
  const lane = claim.laneId === null ? undefined : laneStore(store).byId(claim.laneId);
  const run = lane && runStore(store).byId(lane.runId);
  if (lane === undefined || run === undefined) return;
  wantLane(context, run, lane, BY);
  log(`${claim.key}: goes on`);
}
