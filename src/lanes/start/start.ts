/**
 * Decides whether a lane may be worked on now, and begins an attempt: first a row, then a process. Lanes for other
 * machines of the team are offered instead.
 */
import { randomUUID } from 'node:crypto';
import { projectPlace } from '../../base/git/project.ts';
import { bootId } from '../../base/process/process-entry.ts';
import { type Attempt, type AttemptKind, attemptStore } from '../../store/attempts.ts';
import { breakerStore } from '../../store/breakers.ts';
import { newId } from '../../store/ids.ts';
import { type LaneView, laneStore, type Run } from '../../store/lanes.ts';
import { ledgerStore } from '../../store/ledger.ts';
import { type TeamLane, teamLaneStore } from '../../store/offered-lanes.ts';
import { addLaneEvent, type LaneContext } from '../spec/context.ts';
import { is, stateClause } from '../spec/lane-states.ts';
import { attemptDir, worktreesRoot } from '../spec/paths.ts';
import { clashingWith } from '../spec/spec.ts';
import { foldersOf, shortage } from '../tree/disk-space.ts';
import { worktreePlace } from '../tree/place.ts';
import { accountHindrance, isKnownToAnswer, type ResolvedWorker } from './accounts.ts';
import { affordable, type Reserve } from './budget.ts';

interface StartWish {
  readonly lane: LaneView;
  readonly kind: AttemptKind;
  readonly worker: ResolvedWorker | undefined;
}

export type Started =
  | { readonly kind: 'started'; readonly attempt: Attempt }
  /** `why` is a clause that is shown after the lane's name. */
  | { readonly kind: 'not-now'; readonly why: string };

export const notNow = (why: string): Started => ({ kind: 'not-now', why });

/** Begins an attempt. The transaction that adds the row checks all conditions, so that reconciles begin only one. */
export function startAttempt(context: LaneContext, run: Run, wish: StartWish): Started {
  const tree = treeFor(context, run, wish.lane, wish.worker?.settings.worktrees);
  const short = shortage(foldersOf(context, run, tree));
  if (short !== undefined) return notNow(short);
  const { kind, worker } = wish;
  return context.store.write(() => {
    const lane = laneStore(context.store).byId(wish.lane.id);
    if (lane === undefined) return notNow('it is gone');
    // Since the caller read the lane, an attempt may have begun, and even ended.
    const isNews = lane.attemptId !== wish.lane.attemptId;
    const hindered =
      hindrance(context, run, lane, kind) ??
      (isNews ? 'an attempt has just begun' : undefined) ??
      (worker && accountHindrance(context, lane, worker));
    if (hindered !== undefined) return notNow(hindered);
    const reserve = affordable(context, run, lane, kind);
    if (reserve.kind === 'reserved') {
      const attempt = begin(context, run, { lane, kind, worker, tree, reserve });
      return { kind: 'started', attempt };
    }
    const { why } = reserve;
    if (reserve.kind === 'refused') {
      laneStore(context.store).setBlocked(lane.id, why);
      const data = { why, whose: reserve.whose };
      addLaneEvent(context, lane, { type: 'budget', data, by: 'reconcile' });
    }
    return notNow(why);
  });
}

/** Why no attempt of this kind may begin now, by the store. */
export function hindrance(context: LaneContext, run: Run, lane: LaneView, kind: AttemptKind) {
  // A validation uses no quota.
  const mayStart = run.intent === 'active' || (kind === 'validate' && run.intent === 'paused');
  if (!mayStart) return `the run is ${run.intent}`;
  if (!is(kind === 'validate' ? 'verifiable' : 'startable', lane.state))
    return `it ${stateClause(lane.state)}`;
  if (kind === 'validate') return undefined;
  const offered = teamLaneStore(context.store).of(lane.id);
  if (isOpen(offered)) return offerWords(offered);
  const attempts = attemptStore(context.store);
  const live = attempts.liveOfRun(run.id);
  // Most often it is this that makes a lane wait, and the rest takes longer to find out.
  const limit = limitOf(run, live);
  if (limit !== undefined) return limit;
  const lanes = laneStore(context.store);
  // A lane that was requested again shows whether its setup still fails.
  const isTrial = lane.state === 'ready' && lane.attemptId !== null;
  const failed = isTrial ? undefined : lanes.setupFailedIn(lane.id);
  if (failed !== undefined) return `the setup failed in lane ${failed}, which has to get on first`;
  return waitsFor(lane, lanes.unmet(lane.id), lanesAtWork(context, run, live));
}

/** Lanes at work here, or on another machine. */
export function lanesAtWork({ store }: LaneContext, run: Run, live: readonly Attempt[]) {
  const elsewhere = teamLaneStore(store)
    .ofRun(run.id)
    .filter(({ state }) => state === 'claimed');
  return [...live, ...elsewhere].flatMap(({ laneId }) => laneStore(store).byId(laneId) ?? []);
}

export function limitOf(run: Run, live: readonly Pick<Attempt, 'kind'>[]): string | undefined {
  const working = live.filter(({ kind }) => kind !== 'validate').length;
  return working < run.policy.parallel ? undefined : `${working} lanes are at work, the limit`;
}

/**
 * The lanes that have to end first, in words; `undefined` if none.
 *
 * @param unmet keys of needed lanes that are not verified yet.
 */
export function waitsFor(lane: LaneView, unmet: readonly string[], atWork: readonly LaneView[]) {
  if (unmet.length > 0) return `it needs ${unmet.join(', ')}`;
  const clashing = clashingWith(lane, atWork);
  return clashing.length === 0 ? undefined : `it touches what ${clashing.join(', ')} touches`;
}

interface Beginning extends StartWish {
  readonly tree: string;
  readonly reserve: Reserve;
}

function begin(context: LaneContext, run: Run, beginning: Beginning): Attempt {
  const { lane, kind, worker, tree, reserve } = beginning;
  const { store } = context;
  const now = context.now();
  const id = newId(now);
  const attempts = attemptStore(store);
  const agent = worker?.agent ?? null;
  attempts.add(
    {
      id,
      laneId: lane.id,
      kind,
      agent,
      model: worker?.model ?? null,
      account: worker?.account ?? null,
      sessionId: worker === undefined ? null : randomUUID(),
      specHash: lane.specHash,
      startSha: lane.headSha ?? lane.baseSha ?? run.baseSha,
      worktree: lane.worktree ?? tree,
      dir: attemptDir(store.home, id),
      bootId: bootId(),
    },
    now,
  );
  if (worker !== undefined) {
    const breakers = breakerStore(store);
    if (breakers.get(worker.account) !== undefined) breakers.probe(worker.account, id);
    const onTrial = worker.isMetered && !isKnownToAnswer(context, worker.account);
    if (onTrial) attempts.note(id, 0, { onTrial });
  }
  const ids = { attemptId: id, runId: run.id, laneId: lane.id };
  ledgerStore(store).reserve({ ...ids, day: reserve.day, reserved: reserve.amount });
  const event = { attemptId: id, type: 'attempt.starting', data: { kind, agent }, by: 'reconcile' };
  addLaneEvent({ store, now: () => now }, lane, event);
  return attempts.byId(id) as Attempt;
}

export function treeFor({ store }: LaneContext, run: Run, lane: LaneView, worktrees?: string) {
  if (lane.worktree !== null) return lane.worktree;
  const root = worktreesRoot(store.home, worktrees);
  const repository = projectPlace(run.repository);
  return worktreePlace({ root, repository, run: run.name, lane: lane.key });
}

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
