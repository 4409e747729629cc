/** Decides whether a lane may be worked on now, and begins an attempt: first a row, then a process. */
import { randomUUID } from 'node:crypto';
import { isOtherLogin } from '../../agents/worker/environment.ts';
import { projectPlace } from '../../base/git/project.ts';
import { bootId } from '../../base/process/process-entry.ts';
import { enumerated } from '../../base/text/count.ts';
import { type Attempt, type AttemptKind, attemptStore } from '../../store/attempts.ts';
import { accountAnswerStore, type Breaker, breakerStore } from '../../store/breakers.ts';
import { newId } from '../../store/ids.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import { ledgerStore } from '../../store/ledger.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneSettings } from '../settings/settings.ts';
import { addLaneEvent, type LaneContext, wasSetBack } from '../spec/context.ts';
import { attemptDir, worktreesRoot } from '../spec/paths.ts';
import { clash } from '../spec/spec.ts';
import { foldersOf, shortage } from '../tree/disk-space.ts';
import { worktreePlace } from '../tree/place.ts';
import { affordable, type Reserve } from './budget.ts';

/** The worker of a lane. Resolved before the transaction, since it takes reading files and PATH. */
export interface ResolvedWorker {
  readonly agent: string;
  readonly model: string | undefined;
  readonly account: string;
  /** False for a program that is not known to have usage limits. */
  readonly isMetered: boolean;
  readonly settings: LaneSettings;
}

interface StartWish {
  readonly lane: LaneView;
  readonly kind: AttemptKind;
  /** `undefined` for a validation. */
  readonly worker: ResolvedWorker | undefined;
}

export type Started =
  | { readonly kind: 'started'; readonly attempt: Attempt }
  /** `why` is a clause that is shown after the lane's name. */
  | { readonly kind: 'not-now'; readonly why: string };

export const notNow = (why: string): Started => ({ kind: 'not-now', why });

/**
 * All conditions are checked inside the transaction that adds the row, so that reconciles at the same time
 * begin one attempt.
 */
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
      addLaneEvent(context, lane, { type: 'budget', data: { why }, by: 'reconcile' });
    }
    return notNow(why);
  });
}

const MAY_WORK: ReadonlySet<string> = new Set(['ready', 'parked']);
const MAY_BE_VALIDATED: ReadonlySet<string> = new Set([
  ...['stale', 'failed', 'planned', 'verified', 'culprit'],
  ...['conflict', 'ready', 'asks', 'parked', 'blocked'],
]);

/** Why no attempt of this kind may begin now, as far as the store tells. */
export function hindrance(
  context: LaneContext,
  run: Run,
  lane: LaneView,
  kind: AttemptKind,
): string | undefined {
  // A validation uses no quota.
  const mayStart = run.intent === 'active' || (kind === 'validate' && run.intent === 'paused');
  if (!mayStart) return `the run is ${run.intent}`;
  const allowed = kind === 'validate' ? MAY_BE_VALIDATED : MAY_WORK;
  if (!allowed.has(lane.state)) return `it is ${lane.state}`;
  if (kind === 'validate') return undefined;
  const lanes = laneStore(context.store);
  const live = attemptStore(context.store).liveOfRun(run.id);
  const atWork = live.flatMap(({ laneId }) => lanes.byId(laneId) ?? []);
  const others = limitOf(run, live) ?? waitsFor(lane, lanes.unmet(lane.id), atWork);
  if (others !== undefined) return others;
  // Clashes with other lanes are computed from the stored claims.
  const claimed = new Set(lanes.claims(lane.id, 'write'));
  if (claimed.symmetricDifference(new Set(lane.spec.touches)).size === 0) return undefined;
  return 'its stored claims differ from its spec; `lane edit` stores them again';
}

/** Why the run's limit allows no further lane to work now. */
export function limitOf(run: Run, live: readonly Attempt[]): string | undefined {
  const working = live.filter(({ kind }) => kind !== 'validate').length;
  return working < run.policy.parallel ? undefined : `${working} lanes are at work, the limit`;
}

/**
 * The lanes that have to end first, in words; `undefined` if none.
 *
 * @param unmet keys of needed lanes that are not verified yet.
 */
export function waitsFor(
  lane: LaneView,
  unmet: readonly string[],
  atWork: readonly LaneView[],
): string | undefined {
  if (unmet.length > 0) return `it needs ${unmet.join(', ')}`;
  // Computed from the specs: the stored clashes may be lost.
  const clashing = atWork.filter((other) => other.id !== lane.id && clash(lane.spec, other.spec));
  if (clashing.length === 0) return undefined;
  return `it touches what ${clashing.map(({ key }) => key).join(', ')} touches`;
}

/** Before the reset no worker starts; after it one lane tries first. With an unknown account a few do. */
function accountHindrance(
  context: LaneContext,
  lane: LaneView,
  { agent, account, isMetered }: ResolvedWorker,
): string | undefined {
  // What was asked for is a login of the lane's own agent.
  const asked = agent === lane.spec.agent ? laneStore(context.store).account(lane.id) : null;
  if (asked !== null && isOtherLogin(asked, account)) {
    return `it is to use the login ${asked}, and here it would be ${account}; \`spawn ${lane.key}\` lets it use that`;
  }
  const breaker = breakerStore(context.store).get(account);
  if (breaker === undefined) return isMetered ? waitsForAnswer(context, account) : undefined;
  if (isShut(breaker, context.now())) {
    return `${account} is out of quota until ${breaker.resumeAt.toISOString()}`;
  }
  const probe = attemptStore(context.store).lastOf({ attemptId: breaker.probeAttempt });
  if (probe?.endedAt !== null) return undefined;
  return `another lane tries whether ${account} has quota again`;
}

/** Whether the account is known to be out of quota now. */
export function isUsedUp({ store, now }: LaneContext, account: string | null): boolean {
  const breaker = account === null ? undefined : breakerStore(store).get(account);
  return breaker !== undefined && isShut(breaker, now());
}

/** A time that was set before the clock was set back does not count. */
const isShut = ({ resumeAt, openedAt }: Breaker, now: Date): boolean =>
  resumeAt > now && !wasSetBack(openedAt, now);

/**
 * Only so many workers start at first with an account of which nothing is known, so that a usage
 * limit is met by them and not by all lanes at once.
 */
const FIRST = 2;
/** How long an answer counts as proof that the account is within its limits. */
const KNOWN_MS = 10 * 60_000;
/** An attempt that shows no activity for this long is not waited for. */
const SILENT_MS = 5 * 60_000;

/** Whether a worker of the account was answered lately. Times of another clock do not count. */
function isKnownToAnswer({ store, now }: LaneContext, account: string): boolean {
  const last = accountAnswerStore(store).last(account);
  return last !== undefined && isNear(last, now(), KNOWN_MS);
}

/** The lanes that the account's next worker has to wait for, in words; `undefined` if none. */
function waitsForAnswer(context: LaneContext, account: string): string | undefined {
  if (isKnownToAnswer(context, account)) return undefined;
  const { store, now } = context;
  const trying = attemptStore(store)
    .onTrial(account)
    .filter(({ progressAt, startedAt }) => isNear(progressAt ?? startedAt, now(), SILENT_MS));
  if (trying.length < FIRST) return undefined;
  const keys = trying.map(({ laneId }) => laneStore(store).byId(laneId)?.key ?? laneId).sort();
  return `it waits for ${enumerated(keys, FIRST)} to see whether ${account} answers`;
}

/** In both directions: the clock may have been set meanwhile. */
function isNear(at: Date, now: Date, ms: number): boolean {
  return Math.abs(now.getTime() - at.getTime()) < ms;
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
      ...{ id, laneId: lane.id, kind, agent },
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

/** @param worktrees the configured folder of all worktrees. */
export function treeFor(
  { store }: LaneContext,
  run: Run,
  { worktree, key }: LaneView,
  worktrees: string | undefined,
): string {
  if (worktree !== null) return worktree;
  const root = worktreesRoot(store.home, worktrees);
  const repository = projectPlace(run.repository);
  return worktreePlace({ root, repository, run: run.name, lane: key });
}
