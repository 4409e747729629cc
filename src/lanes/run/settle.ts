/** After a worker has ended: decides the next step, and commits its work, which the validation judges. */
import { join } from 'node:path';
import type { OutcomeKind, WorkerOutcome } from '../../agents/worker/worker.ts';
import { readPlainFile } from '../../base/files/plain-file.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { treeOf } from '../../base/git/plumbing.ts';
import { changedBetween } from '../../base/git/tree-objects.ts';
import type { Attempt, EndCause } from '../../store/attempts.ts';
import { accountAnswerStore, breakerStore } from '../../store/breakers.ts';
import { laneEventStore, laneReportStore } from '../../store/lane-events.ts';
import { laneStore } from '../../store/lanes.ts';
import { ledgerStore } from '../../store/ledger.ts';
import { flagText, MAIN_CHANGED } from '../spec/flags.ts';
import { outsideTouches } from '../spec/touches.ts';
import { leftMarkers } from '../stand/dependencies.ts';
import { unpricedUsd } from '../start/budget.ts';
import { authorOf, commitLane } from '../tree/lane-commit.ts';
import { watchedChange } from '../tree/main-checkout.ts';
import { unsignedOnce } from '../tree/sign.ts';
import { leaveOnBranch, leaveTree, lostTree, takeCheckpoint } from './checkpoint.ts';
import { type Ending, finish } from './finish.ts';
import { accountAnswers, closeBreaker, endTrial, ownUse, storeUse } from './meter.ts';
import { setupOf } from './prepare.ts';
import { probe } from './probe.ts';
import { titleOf } from './prompt-for.ts';
import { followWorker, taskMirror, type WorkerStream } from './stream.ts';
import { planOf, type Supervision } from './supervision.ts';

export async function settle(it: Supervision): Promise<void> {
  const gone = lostTree(it);
  // Its last checkpoint is kept. The user decides whether the worktree is made again.
  if (gone !== undefined) return finish(it, { reason: 'lost', detail: gone });
  const taken = await takeCheckpoint(it, 'the worker has ended');
  const { kind, worktree, startSha, endCause: stop, endDetail, ...end } = it.attempt();
  if (kind === 'validate') return await commitWork(it, taken);

  const changed = (await treeOf(gitIn(worktree, it.context.env), startSha)) !== taken.tree;
  const outcome = await outcomeOf(it, changed);
  ACCOUNT[outcome.kind]?.(it);
  // A cause from before its end is the reason why the supervisor stopped it.
  const ending = stop === null ? afterWork(outcome, changed) : afterStop(stop, endDetail ?? '');
  if (stop === null) it.flag(...exitFlags(end));
  if (ending === undefined) {
    if (outcome.kind === 'refused') it.flag('refused');
    // The validation may take long.
    endTrial(it);
    return await commitWork(it, taken);
  }
  await leaveOnBranch(it);
  if (ending.reason === 'parked' && outcome.kind === 'quota') return parkForQuota(it, outcome);
  finish(it, ending);
}

export async function settleLost(it: Supervision): Promise<void> {
  await leaveTree(it, 'as it was found');
  // The output may name the session, which the next attempt can resume.
  await readToEnd(it);
  finish(it, { reason: 'lost', detail: it.attempt().endDetail ?? '', again: 'yes' });
}

/** What the end of a worker shows about its account. */
const ACCOUNT: Readonly<Partial<Record<OutcomeKind, (it: Supervision) => void>>> = {
  ok: accountAnswers,
  empty: accountAnswers,
  refused: accountAnswers,
  'context-overflow': accountAnswers,
  budget: accountAnswers,
  auth: closeBreaker,
  transient: closeBreaker,
};

async function outcomeOf(it: Supervision, changed: boolean): Promise<WorkerOutcome> {
  const stream = await readToEnd(it);
  if (stream === undefined) return { kind: 'ok', evidence: '' };
  const code = it.attempt().exitCode ?? undefined;
  const { now, store } = it.context;
  const reports = laneReportStore(store).ofLane(it.lane().id);
  const acted = changed || reports.some(({ attemptId }) => attemptId === it.attemptId);
  return stream.reader.outcome({ code, stderr: stream.stderrTail(), acted, now: now() });
}

/** Reads the worker's output to its end, and stores its usage; `undefined` if there was no worker. */
async function readToEnd(it: Supervision): Promise<WorkerStream | undefined> {
  const { worker } = await planOf(it);
  if (worker === undefined) return undefined;
  const stream = await followWorker(it.attempt().dir, worker.adapter);
  stream.read();
  stream.end();
  const progress = stream.reader.progress();
  const { reserved = {}, used: before } = ledgerStore(it.context.store).of(it.attemptId) ?? {};
  const { turns, tokens, usd = unpricedUsd(reserved, turns), isPriced } = ownUse(it, progress);
  if (!isPriced && reserved.usd !== undefined) it.flag('price-unknown');
  storeUse(it, { turns, tokens, usd, seconds: before?.seconds ?? 0 }, progress);
  taskMirror(it, worker.adapter)(progress);
  return stream;
}

/** A limit without a known end is tried again after this time. */
const BACK_OFF_MS = 15 * 60_000;

function parkForQuota(it: Supervision, outcome: WorkerOutcome & { kind: 'quota' }): void {
  const { store, now } = it.context;
  const { evidence, resumeAt = new Date(now().getTime() + BACK_OFF_MS) } = outcome;
  const account = it.attempt().account ?? 'unknown';
  store.write(() => {
    breakerStore(store).open(account, resumeAt, evidence, now());
    accountAnswerStore(store).forget(account);
  });
  it.event('breaker.opened', { account, resumeAt: resumeAt.toISOString() });
  finish(it, { reason: 'parked', cause: 'quota', detail: evidence, resumeAt });
}

/**
 * The ending that follows from a worker's end; `undefined`: its work is validated. Pure.
 *
 * @param changed whether the tree differs from the commit at which the attempt started.
 */
function afterWork(
  { kind, evidence: detail }: WorkerOutcome,
  changed: boolean,
): Ending | undefined {
  switch (kind) {
    case 'quota':
    case 'budget':
      return { reason: 'parked', cause: kind, detail };
    case 'auth':
      return { reason: 'auth', detail };
    case 'context-overflow':
      return { reason: 'context_overflow', detail };
    case 'transient':
      return { reason: 'crashed', cause: kind, again: 'yes', detail };
    case 'refused':
    case 'crashed':
      return changed ? undefined : { reason: kind, detail };
    case 'empty':
    case 'ok':
      return changed
        ? undefined
        : { reason: 'rejected', cause: 'no-change', detail: 'nothing was changed' };
  }
}

function afterStop(cause: EndCause, detail: string): Ending {
  switch (cause) {
    case 'budget':
    case 'lease':
    case 'paused':
    case 'disk':
      return { reason: 'parked', cause, detail };
    case 'stalled':
    case 'lost':
      return { reason: cause, detail };
    default:
      return { reason: 'timeout', detail };
  }
}

/** Larger exit codes of a shell report the end of a program by a signal. */
const BY_SIGNAL = 128;

/** Flags of the exit code: a worker that failed may have done good work, but readers of a verdict should know. */
function exitFlags({ exitCode, exitSource }: Pick<Attempt, 'exitCode' | 'exitSource'>): string[] {
  if (exitSource === 'unknown' || exitCode === null) return ['exit-unknown', 'partial-work'];
  if (exitCode === 0) return [];
  return exitCode > BY_SIGNAL ? [`exit-${exitCode}`, 'partial-work'] : [`exit-${exitCode}`];
}

async function commitWork(it: Supervision, taken: Awaited<ReturnType<typeof takeCheckpoint>>) {
  const { store, env, now } = it.context;
  const attempt = it.attempt();
  const lane = it.lane();
  const git = gitIn(attempt.worktree, env);
  const { sha: endSha, flags } = await commitLane({
    git,
    branch: lane.branch,
    startSha: attempt.startSha,
    headBefore: lane.headSha ?? attempt.startSha,
    tree: taken.tree,
    index: taken.index,
    message: messageFor(it),
    author: authorOf(lane),
    now: now(),
  });
  // git hooks do not run for this commit: their checks belong into the validation.
  it.flag(...flags);
  const unsigned = unsignedOnce(it.context, it.run(), git);
  if (unsigned !== undefined) it.flag(flagText('not-signed', [unsigned]));
  if (it.planted.length > 0) it.flag(flagText('git-settings', it.planted));
  await checkMainCheckout(it);
  const { hash: setupHash } = await setupOf(it, await planOf(it), endSha);
  store.write(() => laneStore(store).setHead(lane.id, endSha, setupHash));
  const marked = await leftMarkers(it.context, it.run(), lane, endSha);
  if (marked.length > 0) {
    it.note({ endSha });
    const detail = `markers of the merge are left in ${marked.join(', ')}`;
    return finish(it, { reason: 'rejected', cause: 'validation', detail });
  }
  // The worker's last changes are merged with the others' work, without a validation.
  await probe(it, { sha: taken.sha, slots: 0, signal: it.stopped.signal });
  const outside = await outsideScope(it, endSha);
  if (outside.length === 0) return it.move('validating', { endSha });
  it.note({ endSha });
  finish(it, { reason: 'rejected', cause: 'scope', detail: outside.join(', ') });
}

/** Files outside of the lane's scope, declared or not, that the lane itself changed, not its dependencies. */
async function outsideScope(it: Supervision, sha: string): Promise<string[]> {
  const lane = it.lane();
  if (lane.spec.touches.length === 0) return [];
  const git = gitIn(it.attempt().worktree, it.context.env);
  const used = laneStore(it.context.store)
    .depsOf(lane.id)
    .flatMap(({ usedSha }) => (usedSha === null ? [] : [usedSha]));
  const bases = [lane.baseSha ?? it.run().baseSha, ...used];
  const changes = await Promise.all(bases.map((base) => changedBetween(git, base, sha)));
  const own = changes.reduce((left, right) => left.filter((path) => right.includes(path)));
  return outsideTouches(own, lane.spec.touches);
}

function messageFor(it: Supervision): string {
  const lane = it.lane();
  const title = titleOf(lane.spec).slice(0, 72);
  const { agent, n } = it.attempt();
  return `${title}\n\nLane: ${lane.key}\nRun: ${it.run().name}\nAttempt: ${n}${agent === null ? '' : `\nWorker: ${agent}`}\n`;
}

async function checkMainCheckout(it: Supervision): Promise<void> {
  const { id, dir, worktree } = it.attempt();
  const before = readPlainFile(join(dir, 'main-checkout'));
  if (before === undefined) return;
  const { key, id: laneId } = it.lane();
  const starts = laneEventStore(it.context.store).ofType(it.run().id, 'attempt.starting');
  const since = starts.find(({ attemptId }) => attemptId === id)?.seq ?? 0;
  const when = `lane ${key} worked`;
  // Its own tree may lie within that checkout.
  const said = () => (readPlainFile(join(dir, 'stdout.log')) ?? '').replaceAll(worktree, '');
  const watched = { before, since, key, when, dir, laneId, attemptId: id, said };
  const files = await watchedChange(it.context, it.run(), watched);
  if (files !== undefined) it.flag(flagText(MAIN_CHANGED, files));
}
