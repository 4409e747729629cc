/** What the parts of a lending machine share. */
import type { LaneContext } from '../../lanes/spec/context.ts';
import { blockLane } from '../../lanes/spec/edit.ts';
import { type LaneView, laneStore, runStore } from '../../store/lanes.ts';
import {
  type ClaimEnding,
  type ReleaseReason,
  type TeamClaim,
  teamClaimStore,
} from '../../store/team-claims.ts';
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

/** The lane of a claim on this machine; `undefined`: it has not begun. */
export const laneOf = ({ context }: Host, { laneId }: TeamClaim): LaneView | undefined =>
  laneId === null ? undefined : laneStore(context.store).byId(laneId);

export function change({ context: { store } }: Host, claim: TeamClaim, note: Partial<TeamClaim>) {
  const claims = teamClaimStore(store);
  store.write(() => {
    const now = claims.byId(claim.lane, claim.epoch);
    if (now !== undefined) claims.put({ ...now, ...note });
  });
}

/** Notes why a claim does not get on; the log has it once. */
export function noteWhy(host: Host, claim: TeamClaim, why: string): void {
  if (why === claim.why) return;
  change(host, claim, { why });
  host.log(`${claim.key ?? claim.lane}: ${why}`);
}

/** Ends a claim, and its run here; the board is told as soon as it can be. */
export function end(host: Host, claim: TeamClaim, ending: ClaimEnding, why: string | null): void {
  const { store, now } = host.context;
  const lane = laneOf(host, claim);
  if (lane !== undefined) store.write(() => runStore(store).setIntent(lane.runId, 'closed', null));
  change(host, claim, { ending, endedAt: now(), why, tries: 0 });
  const how = ending.kind === 'finish' ? ending.outcome : `given back (${ending.why})`;
  host.log(`${claim.key ?? claim.lane}: ${how}${why ? `: ${why}` : ''}`);
}

/** Gives a claim back. @param given `waitS`: how long this machine does not want it; absent: for ever, but for `draining`. */
export function release(
  host: Host,
  claim: TeamClaim,
  why: ReleaseReason,
  given: { head?: string | null; waitS?: number | null; detail?: string | null } = {},
): void {
  const { head = null, waitS = null, detail = null } = given;
  end(host, claim, { kind: 'release', why, head, waitS }, detail);
}

const STOPPED = {
  cancel: 'its home has cancelled it',
  pause: 'its home has paused it',
  draining: 'this machine is lent no more',
  lost: 'another machine has it now',
} as const;

/** Stops the worker of a claim, with a checkpoint, as any lane is stopped. A claim without a lane is given back. */
export function stopWork(host: Host, claim: TeamClaim, stop: keyof typeof STOPPED): void {
  const lane = laneOf(host, claim);
  if (lane === undefined) release(host, claim, 'draining');
  if (lane === undefined || lane.blocked !== null) return;
  blockLane(host.context, lane, STOPPED[stop], BY);
  host.log(`${claim.key}: stopped, ${STOPPED[stop]}`);
}
