/** Measures what a worker uses, stops it at its caps, and watches whether its account answers. */

import { allTokens } from '../../agents/worker/transcript.ts';
import type { WorkerProgress } from '../../agents/worker/worker.ts';
import type { AttemptNote } from '../../store/attempts.ts';
import { accountAnswerStore, breakerStore } from '../../store/breakers.ts';
import type { Budget } from '../../store/lanes.ts';
import { ledgerStore, type Spent } from '../../store/ledger.ts';
import type { LaneContext } from '../spec/context.ts';
import { overBudget, unpricedCaps } from '../start/budget.ts';
import { dueLanes, unattended, unwatched } from '../start/eligibility.ts';
import { launch, RECONCILE } from '../start/launch.ts';
import { isThere } from './checkpoint.ts';
import { stopWorker } from './finish.ts';
import type { WorkerStream } from './stream.ts';
import { diskShortage, type Plan, type Supervision } from './supervision.ts';

const PROGRESS_MS = 5_000;
/**
 * The longest time between notes for a silent worker: each note wakes every supervisor, and one without a note for five
 * minutes counts as unresponsive.
 */
const MOST_PROGRESS_MS = 60_000;
/** The time between checks of folders: disks fill up quickly. */
const FOLDERS_MS = 1_000;

/** @param clock the time in which the worker was watched. */
export function newMeter(it: Supervision, { settings, worker }: Plan, clock: () => number) {
  const account = watchAccount(it);
  const { reserved = {}, used: before } = ledgerStore(it.context.store).of(it.attemptId) ?? {};
  const startedAt = clock();
  const { timeoutS } = it.lane().spec;
  const keepsToUsd = worker?.adapter.keepsTo?.includes('usd') ?? false;
  let outputAt = clock();
  let notedAt = 0;
  let foldersAt = 0;
  let noteEveryMs = PROGRESS_MS;
  let isStallFlagged = false;
  let used: Spent = { turns: 0, seconds: 0, tokens: 0, usd: 0 };
  let cap: Budget = reserved;

  /** Whether to note the progress: less and less often while nothing is printed. */
  const isToBeNoted = (said: boolean): boolean => {
    if (said) noteEveryMs = PROGRESS_MS;
    if (performance.now() - notedAt < noteEveryMs) return false;
    noteEveryMs = Math.min(2 * noteEveryMs, MOST_PROGRESS_MS);
    return true;
  };
  const judgeQuiet = (quietMs: number): void => {
    if (quietMs <= settings.stallMs) return;
    if (!isStallFlagged) it.flag('stalled');
    isStallFlagged = true;
    const why = `nothing happened for ${Math.round(quietMs / 1000)} s`;
    if (settings.onStall === 'stop') stopWorker(it, { kind: 'stalled', why });
  };
  return {
    outputAt: (): number => outputAt,
    read(stream: WorkerStream, said: boolean): void {
      if (said) outputAt = clock();
      const progress = stream.reader.progress();
      account(progress);
      const { turns, tokens, usd = 0, isPriced } = ownUse(it, progress);
      const ownSeconds = (clock() - startedAt) / 1000;
      used = { turns, tokens, usd, seconds: Math.round((before?.seconds ?? 0) + ownSeconds) };
      cap = keepsToUsd || isPriced ? reserved : unpricedCaps(reserved);
      const isDue = isToBeNoted(said);
      if (!isDue && overBudget(cap, used) === undefined) return;
      notedAt = performance.now();
      const now = it.context.now();
      storeUse(it, used, progress, { progressAt: now, ...(said ? { lastOutputAt: now } : {}) });
      if (!keepsToUsd && !isPriced && reserved.usd !== undefined) it.flag('price-unknown');
    },
    /** Stops the worker if a limit is exceeded. @param activeAt the time of the last activity. */
    judge(activeAt: number): void {
      const over = overBudget(cap, used);
      if (over !== undefined) stopWorker(it, { kind: 'budget', why: over });
      if (used.seconds > timeoutS) stopWorker(it, { kind: 'timeout', why: `after ${timeoutS} s` });
      judgeQuiet(clock() - activeAt);
      if (performance.now() - foldersAt < FOLDERS_MS) return;
      foldersAt = performance.now();
      // The worker is stopped while there is still space to record that.
      const short = diskShortage(it);
      if (short !== undefined) stopWorker(it, { kind: 'disk', why: short });
      const { worktree } = it.attempt();
      if (!isThere(worktree)) stopWorker(it, { kind: 'lost', why: `${worktree} is gone` });
    },
  };
}

export function storeUse(it: Supervision, used: Spent, last: WorkerProgress, more?: AttemptNote) {
  const { toolCalls, sessionId } = last;
  const { store } = it.context;
  store.write(() => ledgerStore(store).use(it.attemptId, used));
  const session = sessionId === undefined ? {} : { sessionId };
  it.note({ ...more, ...session, usage: { ...used, toolCalls } });
}

/**
 * The use of one attempt. Some agents report totals of a session, also when they resume it (`WorkerProgress.session`):
 * the use of earlier attempts in the ledger is then subtracted, so that all attempts together have the session's total.
 * Usage that a killed attempt did not report counts for the one that resumes it.
 */
export function ownUse(it: Supervision, progress: WorkerProgress) {
  const { sessionId, session, turns, tokens, usd } = progress;
  const before =
    sessionId === undefined
      ? { tokens: 0, usd: 0 }
      : ledgerStore(it.context.store).beforeInSession(it.attemptId, sessionId);
  const own = session.usd === undefined ? usd : since(session.usd, before.usd);
  const inSession = session.tokens === undefined ? 0 : allTokens(session.tokens);
  return {
    turns,
    // A killed session may have lost usage that its messages had reported.
    tokens: Math.max(allTokens(tokens), since(inSession, before.tokens)),
    usd: own,
    isPriced: own !== undefined || turns === 0,
  };
}

/** The tolerance, because sums of prices are floating-point numbers. */
const SAME = 1e-6;

/** A total below the earlier one means that the agent's count was reset. */
function since(total: number, before: number): number {
  return total + SAME < before ? total : Math.max(0, total - before);
}

/** A limit is reported at once; some workers report nothing else before they end. */
const REFUSED_WITHIN_MS = 10_000;
const NOTED_EVERY_MS = 60_000;

function watchAccount(it: Supervision): (progress: WorkerProgress) => void {
  const startedAt = performance.now();
  let notedAt = Number.NEGATIVE_INFINITY;
  let isWaitedFor = true;
  // After a takeover it is unknown when the answers so far were given.
  let counted = it.epoch === 1 ? 0 : undefined;
  return ({ answers }) => {
    counted ??= answers;
    const now = performance.now();
    if (answers > counted && now - notedAt > NOTED_EVERY_MS) {
      counted = answers;
      notedAt = now;
      accountAnswers(it);
    }
    if (!isWaitedFor || now - startedAt < REFUSED_WITHIN_MS) return;
    isWaitedFor = false;
    endTrial(it);
  };
}

/** Records the answer now, because other lanes wait for it. */
export function accountAnswers(it: Supervision): void {
  const { store, now } = it.context;
  const { account } = it.attempt();
  if (account === null) return;
  store.write(() => accountAnswerStore(store).note(account, now()));
  closeBreaker(it);
  endTrial(it);
}

/** Ends the trial: other lanes no longer wait for this worker. */
export function endTrial(it: Supervision): void {
  if (!it.attempt().onTrial) return;
  it.note({ onTrial: false });
  reconcileIfDue(it.context);
}

/** Starts a reconcile if a lane waits: mostly none does, and a start takes a tenth of a second. */
function reconcileIfDue(context: LaneContext): void {
  const isDue = [unattended, dueLanes, unwatched].some((due) => due(context).length > 0);
  if (isDue) launch(context, RECONCILE);
}

/** Closes the breaker of an account that has quota after all, so that its lanes may start. */
export function closeBreaker(it: Supervision): void {
  const { store } = it.context;
  const { account } = it.attempt();
  const breaker = account === null ? undefined : breakerStore(store).get(account);
  if (breaker === undefined || breaker.probeAttempt !== it.attemptId) return;
  store.write(() => breakerStore(store).close(breaker.account));
  it.event('breaker.closed', { account: breaker.account });
  reconcileIfDue(it.context);
}
