/** Looks after a claim: begins it, pushes its checkpoints, ends it with a result or gives it back, and cleans up. */
import { setTimeout as pause } from 'node:timers/promises';
import { codeOf, ExplainedError, explained, UsageError } from '../../base/errors.ts';
import { probeLock } from '../../base/process/held-lock.ts';
import { parseDuration } from '../../base/text/time.ts';
import { RefusedError } from '../../evidence/envelope.ts';
import { collectRun } from '../../lanes/keep/collect.ts';
import { wantLanes } from '../../lanes/spec/edit.ts';
import { isLeaseOver } from '../../lanes/spec/lease.ts';
import { laneDir, supervisorLock } from '../../lanes/spec/paths.ts';
import { isUsedUp } from '../../lanes/start/accounts.ts';
import { reconcile } from '../../lanes/start/reconcile.ts';
import { type Attempt, attemptStore, checkpointStore, isLive } from '../../store/attempts.ts';
import { breakerStore } from '../../store/breakers.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { type LaneView, laneStore, type Run, runStore } from '../../store/lanes.ts';
import { type ReleaseReason, type TeamClaim, teamClaimStore } from '../../store/team-claims.ts';
import type { Board } from '../board/board.ts';
import { begin, start } from './accept.ts';
import { BY, change, type Host, laneOf, noteWhy, release } from './host.ts';
import { exchangeQuestions, showQuestions } from './questions.ts';
import { cloneOfLane, push, refOf } from './repository.ts';
import { finish } from './result.ts';

const LOOK_MS = 250;
/** The time between two looks for what others do: an answer, a free slot. */
const LONG_LOOK_MS = 3_000;
const MOST_RETRY_MS = 10 * 60_000;
/** The tries after which a lane that cannot begin is given back, and one that the board does not know is left. */
const MOST_TRIES = 10;

/** Resolves once the board can be reached. */
export type Connected = () => Promise<Board>;

/**
 * Looks after a claim until the board has answered to its end. What fails is tried again, later each time.
 */
export async function tend(
  host: Host,
  { lane, epoch }: Pick<TeamClaim, 'lane' | 'epoch'>,
  connected: Connected,
): Promise<void> {
  for (;;) {
    const claim = teamClaimStore(host.context.store).byId(lane, epoch);
    if (claim === undefined) return;
    if (claim.answer !== null) return cleanUp(host, claim);
    let waitMs = LOOK_MS;
    try {
      if (claim.ending === null) await advance(host, claim, connected);
      else await say(host, claim, await connected());
    } catch (error) {
      waitMs = noteFailure(host, claim, error);
    }
    await rest(waitMs);
  }
}

/** It alone does not keep the process. */
const rest = (ms: number): Promise<void> => pause(ms, undefined, { ref: false });

/** Says how a claim has ended. */
async function say(host: Host, claim: TeamClaim, board: Board): Promise<void> {
  const { lane, rev, epoch, ticket, ending } = claim;
  if (ending === null) return;
  const answer =
    ending.kind === 'release'
      ? await board.release({ ...ending, lane, epoch })
      : await board.finish({
          ...{ ...ending, lane, rev, epoch, ticket },
          result: Buffer.from(ending.body, 'base64'),
        });
  change(host, claim, { answer });
  host.log(`${claim.key ?? claim.lane}: ${answer}`);
  const reports = laneReportStore(host.context.store).ofLane(claim.laneId ?? '');
  // A question that is over must not be shown any longer.
  if (reports.some(({ kind }) => kind === 'ask')) await showQuestions(host, claim, board);
}

/** @returns the time to wait before the next try. */
function noteFailure(host: Host, claim: TeamClaim, error: unknown): number {
  const message = error instanceof ExplainedError ? error.message : String(error);
  const tries = claim.tries + 1;
  const why = reasonOf(error) ?? (tries < MOST_TRIES ? undefined : 'draining');
  if (claim.laneId === null && claim.ending === null && why !== undefined) {
    release(host, claim, why, { detail: message });
    return 0;
  }
  noteWhy(host, claim, message);
  // The home of the lane has not told it to a board that was restored.
  const isUnknown = codeOf(error) === 'LH005' && tries >= MOST_TRIES;
  change(host, claim, isUnknown ? { tries, answer: 'unknown' } : { tries });
  return isUnknown ? 0 : Math.min(MOST_RETRY_MS, LOOK_MS * 2 ** Math.min(tries, 20));
}

/** Why this machine does not begin a lane, though another one may: its home has another version, or is not trusted. */
function reasonOf(error: unknown): ReleaseReason | undefined {
  if (error instanceof RefusedError) return 'signer';
  if (codeOf(error) === 'EXPIRED') return 'expired';
  return error instanceof UsageError ? 'policy' : undefined;
}

/** Removes the working tree, unless it has something that neither a branch nor a checkpoint keeps. */
async function cleanUp(host: Host, claim: TeamClaim): Promise<void> {
  const { context } = host;
  const run = runStore(context.store).byId(laneOf(host, claim)?.runId ?? '');
  if (run === undefined) return;
  const wish = { refs: 'keep-unmerged', mode: 'remove', attemptsBefore: new Date(0) } as const;
  for (const { what, name, why } of await collectRun(context, run, wish))
    if (what === 'worktree' && why !== undefined) host.log(`${claim.key}: ${name} stays: ${why}`);
}

/** @throws {ExplainedError} if it has to be tried again. */
async function advance(host: Host, claim: TeamClaim, connected: Connected): Promise<void> {
  const { context } = host;
  const lane = laneOf(host, claim);
  const run = runStore(context.store).byId(lane?.runId ?? '');
  if (lane === undefined || run === undefined) return begin(host, claim);
  const last = attemptStore(context.store).lastOf(lane);
  if (last !== undefined && isLive(last)) {
    await lookAfter(host, claim, last);
    const asks = await exchangeQuestions(host, claim, lane, connected);
    return asks ? rest(LONG_LOOK_MS) : undefined;
  }
  const verdict = OUTCOMES[lane.state];
  if (verdict !== undefined) return finish(host, claim, lane, verdict);
  if (lane.state === 'blocked')
    return release(host, claim, 'draining', { head: await lastPushed(host, claim) });
  if (lane.state === 'planned') return start(host, run, lane);
  if (lane.state === 'ready') return noteWaiting(host, claim, run, lane);
  if (last?.endCause === 'lease') return waitForBoard(host, claim, run, lane);
  if (last?.endCause === 'budget') return finish(host, claim, lane, 'failed');
  return giveBack(host, claim, last);
}

/** Work that this machine cannot go on with. */
async function giveBack(
  host: Host,
  claim: TeamClaim,
  last: Pick<Attempt, 'endCause' | 'resumeAt' | 'endDetail'> | undefined,
): Promise<void> {
  const why = last?.endCause === 'quota' || last?.endCause === 'disk' ? last.endCause : 'policy';
  const resumeMs = (last?.resumeAt?.getTime() ?? 0) - host.context.now().getTime();
  const waitS = why === 'policy' ? null : Math.max(WAIT_S, Math.round(resumeMs / 1000));
  const head = await lastPushed(host, claim);
  release(host, claim, why, { head, waitS, detail: last?.endDetail ?? null });
}

const OUTCOMES: Readonly<Partial<Record<LaneView['state'], 'verified' | 'failed' | 'asks'>>> = {
  verified: 'verified',
  failed: 'failed',
  untested: 'failed',
  stale: 'failed',
  asks: 'asks',
};

/** A machine with a full disk, or without quota, is asked again after this time. */
const WAIT_S = 600;

async function noteWaiting(host: Host, claim: TeamClaim, run: Run, lane: LaneView): Promise<void> {
  const { store } = host.context;
  const why = (await reconcile(host.context, run)).waiting[lane.key];
  if (why === undefined) return;
  const account = laneStore(store).account(lane.id);
  const breaker = breakerStore(store).get(account ?? '');
  // Another machine may have another account.
  if (breaker !== undefined && isUsedUp(host.context, account))
    return giveBack(host, claim, { ...breaker, endCause: 'quota', endDetail: why });
  noteWhy(host, claim, why);
  await rest(LONG_LOOK_MS);
}

/** Nobody else may have the lane yet, so it goes on once its lease is renewed. */
function waitForBoard(host: Host, claim: TeamClaim, run: Run, lane: LaneView): void {
  noteWhy(host, claim, 'stopped, the board was not heard of for longer than its lease');
  if (isLeaseOver(laneDir(host.context.store.home, lane.id))) return;
  wantLanes(host.context, run, [lane], BY);
  noteWhy(host, claim, 'goes on');
}

async function lookAfter(host: Host, claim: TeamClaim, attempt: Attempt): Promise<void> {
  const now = host.context.now();
  // The machine was restarted, or the supervisor was killed.
  if (probeLock(supervisorLock(attempt.dir)) !== 'held') await reconcile(host.context);
  const everyMs = parseDuration(host.settings.checkpointEvery) ?? 0;
  // The clock may have been set back since.
  const isEarly = Math.abs(now.getTime() - (claim.pushedAt?.getTime() ?? 0)) < everyMs;
  if (isEarly || checkpointOf(host, claim) === claim.pushed) return;
  change(host, claim, { pushed: await lastPushed(host, claim), pushedAt: now });
}

const checkpointOf = ({ context }: Host, { laneId }: TeamClaim): string | null =>
  checkpointStore(context.store).last(laneId ?? '')?.sha ?? null;

/** The last checkpoint after it was pushed; the one before if the remote does not take it, which is tried later. */
async function lastPushed(host: Host, claim: TeamClaim): Promise<string | null> {
  const sha = checkpointOf(host, claim);
  if (sha === null || sha === claim.pushed) return claim.pushed;
  try {
    await push(await cloneOfLane(host, claim), sha, refOf(host, claim, 'ckpt'));
    return sha;
  } catch (error) {
    host.log(`${claim.key}: ${explained(error).message}`);
    return claim.pushed;
  }
}
