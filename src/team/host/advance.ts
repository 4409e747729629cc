/** Brings a claim forward: begins it, pushes its checkpoints, and ends it with a result or by giving it back. */
import { ExplainedError, explained } from '../../base/errors.ts';
import { readPlainFile } from '../../base/files/plain-file.ts';
import { treeOf } from '../../base/git/plumbing.ts';
import { probeLock } from '../../base/process/held-lock.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { parseDuration } from '../../base/text/time.ts';
import { blockLane } from '../../lanes/spec/edit.ts';
import { supervisorLock } from '../../lanes/spec/paths.ts';
import { reconcile } from '../../lanes/start/reconcile.ts';
import { type Attempt, attemptStore, checkpointStore, isLive } from '../../store/attempts.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import { type LaneView, laneStore, type Run, runStore } from '../../store/lanes.ts';
import { ledgerStore } from '../../store/ledger.ts';
import type { ReleaseReason, TeamClaim } from '../../store/team-claims.ts';
import type { Payload } from '../payload.ts';
import { accept } from './accept.ts';
import { BY, change, end, goOn, type Host, stopWork } from './host.ts';
import { sealedResult } from './offer.ts';
import { type Clone, cloneOf, push, refOf } from './repository.ts';

/** @throws {ExplainedError} if it has to be tried again. */
export async function advance(host: Host, claim: TeamClaim): Promise<void> {
  const { store } = host.context;
  const lane = claim.laneId === null ? undefined : laneStore(store).byId(claim.laneId);
  const run = lane && runStore(store).byId(lane.runId);
  if (lane === undefined || run === undefined) {
    if (claim.stop === null) return accept(host, claim);
    return giveBack(host, claim, null);
  }
  const last = attemptStore(store).lastOf(lane);
  if (last !== undefined && isLive(last)) return lookAfter(host, claim, lane, last);
  if (lane.state === 'planned' && claim.stop === null) goOn(host, claim);
  if (lane.state === 'ready' || lane.state === 'planned') return waitForStart(host, run, lane);
  const verdict = OUTCOMES[lane.state];
  if (verdict !== undefined) return finish(host, claim, lane, verdict);
  if (claim.stop === 'lease') return;
  if (claim.stop !== null) return giveBack(host, claim, lane);
  await atRest(host, claim, lane, last);
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

/** A lane that rests without a verdict. */
async function atRest(
  host: Host,
  claim: TeamClaim,
  lane: LaneView,
  last: Attempt | undefined,
): Promise<void> {
  const { now } = host.context;
  switch (last?.endCause) {
    // Its supervisor has not heard of this process for too long.
    case 'lease':
      return stopWork(host, claim, 'lease');
    case 'budget':
      return finish(host, claim, lane, 'failed');
    case 'quota': {
      const ms = (last.resumeAt?.getTime() ?? 0) - now().getTime();
      const waitS = Math.max(WAIT_S, Math.round(ms / 1000));
      return giveBack(host, claim, lane, { reason: 'quota', waitS });
    }
    case 'disk':
      return giveBack(host, claim, lane, { reason: 'disk', waitS: WAIT_S });
    default:
      return giveBack(host, claim, lane, { reason: 'policy', waitS: null });
  }
}

async function waitForStart(host: Host, run: Run, lane: LaneView): Promise<void> {
  const { waiting } = await reconcile(host.context, run);
  const why = waiting[lane.key];
  if (why !== undefined) throw new ExplainedError(why);
}

/** A time from before the clock was set back says nothing. */
function pushedLately({ pushedAt }: TeamClaim, everyMs: number, now: Date): boolean {
  const ms = now.getTime() - (pushedAt?.getTime() ?? Number.NEGATIVE_INFINITY);
  return ms >= 0 && ms < everyMs;
}

async function lookAfter(
  host: Host,
  claim: TeamClaim,
  lane: LaneView,
  attempt: Attempt,
): Promise<void> {
  const { store, now } = host.context;
  // The machine was restarted, or the supervisor was killed.
  if (probeLock(supervisorLock(attempt.dir)) !== 'held') await reconcile(host.context);
  const sha = checkpointStore(store).last(lane.id)?.sha;
  const everyMs = parseDuration(host.settings.checkpointEvery) ?? 0;
  if (sha === undefined || sha === claim.pushed || pushedLately(claim, everyMs, now())) return;
  // The work is not disturbed by a remote that does not take its checkpoints; the next one is tried later.
  change(host, claim, { pushed: await lastPushed(host, claim, lane), pushedAt: now() });
}

async function cloneOfLane(host: Host, { repo }: TeamClaim): Promise<Clone> {
  const clone = await cloneOf(host, repo);
  if (clone === undefined) throw new ExplainedError('its clone is gone');
  return clone;
}

/** Gives a claim back with the last checkpoint. What another machine has, the board needs not be told of. */
async function giveBack(
  host: Host,
  claim: TeamClaim,
  lane: LaneView | null,
  given?: { readonly reason: ReleaseReason; readonly waitS: number | null },
): Promise<void> {
  const { context } = host;
  if (claim.stop === 'lost') return change(host, claim, { answer: 'lost', endedAt: context.now() });
  const head = lane === null ? null : await lastPushed(host, claim, lane);
  const { reason: why, waitS } = given ?? { reason: 'draining', waitS: null };
  const detail =
    lane === null ? null : (attemptStore(context.store).lastOf(lane)?.endDetail ?? null);
  if (lane !== null && given !== undefined) blockLane(context, lane, 'it was given back', BY);
  end(host, claim, { kind: 'release', why, head, waitS }, given ? detail : null);
}

/** The last checkpoint after it was pushed; the one before if the remote does not take it. */
async function lastPushed(host: Host, claim: TeamClaim, lane: LaneView): Promise<string | null> {
  const sha = checkpointStore(host.context.store).last(lane.id)?.sha;
  if (sha === undefined || sha === claim.pushed) return claim.pushed;
  try {
    await push(await cloneOfLane(host, claim), sha, refOf(host, claim, 'ckpt'));
    return sha;
  } catch (error) {
    host.log(`${claim.key}: ${explained(error).message}`);
    return claim.pushed;
  }
}

/** The tries after which it asks: somebody has to see to the remote. */
const MOST_PUSHES = 20;

/** Pushes the result, then signs it: what nobody could fetch is never announced. */
async function finish(
  host: Host,
  claim: TeamClaim,
  lane: LaneView,
  verdict: 'verified' | 'failed' | 'asks',
): Promise<void> {
  const clone = await cloneOfLane(host, claim);
  const isStuck = claim.tries >= MOST_PUSHES;
  // Of work that the remote does not take, the result is where it began.
  const head = (isStuck ? undefined : headOf(host, lane, verdict)) ?? lane.baseSha ?? '';
  const ref = isStuck ? null : refOf(host, claim, 'result');
  if (ref !== null) await push(clone, head, ref);
  const result: Payload<'result'> = {
    ...resultOf(host, claim, lane, head),
    outcome: isStuck ? 'asks' : verdict,
    question: isStuck ? `what it did could not be pushed: ${claim.why}` : openQuestion(host, lane),
    tree: await treeOf(clone.git, head),
    ref,
  };
  const body = (await sealedResult(host, clone, result)).toString('base64');
  end(host, claim, { kind: 'finish', outcome: result.outcome, head, body }, null);
}

/** The commit of the work; `undefined` if there is none. */
function headOf({ context: { store } }: Host, lane: LaneView, verdict: string) {
  const last = attemptStore(store).lastOf(lane);
  const committed = verdict === 'verified' ? lane.headSha : last?.endSha;
  return committed ?? checkpointStore(store).last(lane.id)?.sha ?? lane.headSha ?? undefined;
}

const openQuestion = ({ context }: Host, lane: LaneView): string | null =>
  laneReportStore(context.store)
    .ofLane(lane.id)
    .findLast(({ kind, answer }) => kind === 'ask' && answer === null)?.body ?? null;

function resultOf({ context, member }: Host, claim: TeamClaim, lane: LaneView, head: string) {
  const { store, now } = context;
  const attempts = attemptStore(store).ofLane(lane.id);
  const last = attempts.at(-1);
  const validation = laneValidationStore(store).ofLane(lane.id).at(-1);
  return {
    v: 1 as const,
    kind: 'result' as const,
    at: now().getTime(),
    repo: claim.repo,
    run: claim.run,
    lane: claim.lane,
    rev: claim.rev,
    epoch: claim.epoch,
    host: member.host,
    specHash: lane.specHash,
    cmdHash: lane.cmdHash,
    setupHash: lane.setupHash,
    base: lane.baseSha ?? '',
    head,
    validation: validation?.sha === head ? shown(validation) : null,
    flags: [...new Set(attempts.flatMap(({ flags }) => flags))],
    usage: ledgerStore(store).ofLane(lane.id),
    detail: last?.endDetail ?? '',
    endCause: last?.endCause ?? null,
    worker: { agent: last?.agent ?? lane.spec.agent, model: last?.model ?? null },
    startedAt: (attempts[0]?.startedAt ?? lane.createdAt).getTime(),
    endedAt: (last?.endedAt ?? now()).getTime(),
  };
}

const TAIL_CHARS = 4_000;

function shown({ newFailures, oldFailures, logPath, ...verdict }: Validation) {
  const { result, exitCode, durationMs, logSha256 } = verdict;
  const tail = redact(readPlainFile(logPath) ?? '').slice(-TAIL_CHARS);
  const failures = {
    newFailures: [...(newFailures ?? [])],
    oldFailures: oldFailures && [...oldFailures],
  };
  return { result, exitCode, durationMs, logSha256, tail, ...failures };
}
