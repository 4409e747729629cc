/** After a worker has ended: decides what follows. The validation judges the work, not the exit code. */
import type { OutcomeKind, WorkerOutcome, WorkerProgress } from '../../agents/worker/worker.ts';
import { gitIn } from '../../git/git.ts';
import { treeOf } from '../../git/plumbing.ts';
import type { AttemptNote, EndReason } from '../../store/attempts.ts';
import { ledgerStore } from '../../store/ledger.ts';
import { unpricedUsd } from '../budget.ts';
import { type Taken, takeCheckpoint } from './checkpoint.ts';
import { commitWork } from './commit-work.ts';
import { type Ending, finish } from './finish.ts';
import { leaveOnBranch, leaveTree, lostTree } from './leave-tree.ts';
import { accountAnswers, closeBreaker, endTrial, openBreaker, ownUse } from './meter.ts';
import { planOf } from './plan.ts';
import { followWorker, taskMirror, type WorkerStream } from './stream.ts';
import type { Supervision } from './supervision.ts';

/** A limit without a known reset is tried again after this. */
const BACK_OFF_MS = 15 * 60_000;

export async function settle(it: Supervision): Promise<void> {
  const attempt = it.attempt();
  const gone = lostTree(it);
  // Its last checkpoint is kept. The user decides whether the worktree is made again.
  if (gone !== undefined) return finish(it, { reason: 'lost', detail: gone });
  const taken = await takeCheckpoint(it, 'the worker has ended');
  const changed = await hasChanged(it, taken);
  if (attempt.kind === 'validate') return await commitWork(it, taken);

  const outcome = await outcomeOf(it, changed);
  const next = afterWork({
    outcome,
    changed,
    stop: stopIn(attempt.endDetail),
    exit: { code: attempt.exitCode, source: attempt.exitSource },
  });
  tellAccount(it, outcome.kind);
  it.flag(...next.flags);
  if (next.kind === 'prove') {
    // The validation may take long.
    endTrial(it);
    return await commitWork(it, taken);
  }
  await leaveOnBranch(it);
  if (next.reason === 'parked' && outcome.kind === 'quota') return parkForQuota(it, outcome);
  finish(it, next);
}

export async function settleLost(it: Supervision): Promise<void> {
  await leaveTree(it, 'as it was found');
  // Its output may name the session that the next attempt can resume.
  await hearOut(it);
  finish(it, { reason: 'lost', detail: it.attempt().endDetail ?? '', again: 'yes' });
}

function tellAccount(it: Supervision, outcome: OutcomeKind): void {
  switch (outcome) {
    case 'ok':
    case 'empty':
    case 'refused':
    case 'context-overflow':
    case 'budget':
      accountAnswers(it);
      break;
    case 'auth':
    case 'transient':
      closeBreaker(it);
      break;
    case 'quota':
    case 'crashed':
      break;
  }
}

/** Compared with the commit that the attempt started at. */
async function hasChanged(it: Supervision, taken: Taken): Promise<boolean> {
  const { worktree, startSha } = it.attempt();
  const git = gitIn(worktree, it.context.env);
  return (await treeOf(git, startSha)) !== taken.tree;
}

async function outcomeOf(it: Supervision, changed: boolean): Promise<WorkerOutcome> {
  const stream = await hearOut(it);
  if (stream === undefined) return { kind: 'ok', evidence: '' };
  const { exitCode } = it.attempt();
  return stream.reader.outcome({
    code: exitCode ?? undefined,
    stderr: stream.stderrTail(),
    changed,
    now: it.context.now(),
  });
}

/** Reads the worker's output to its end, and stores its usage; `undefined` if there was no worker. */
async function hearOut(it: Supervision): Promise<WorkerStream | undefined> {
  const { worker } = await planOf(it);
  if (worker === undefined) return undefined;
  const stream = await followWorker(it.attempt().dir, worker.adapter);
  stream.read();
  stream.end();
  const progress = stream.reader.progress();
  noteUsage(it, progress);
  taskMirror(it, worker.adapter).show(progress);
  return stream;
}

function noteUsage(it: Supervision, progress: WorkerProgress): void {
  const entry = ledgerStore(it.context.store).of(it.attemptId);
  const { turns, tokens, usd } = ownUse(it, progress);
  const reserved = entry?.reserved ?? {};
  if (usd === undefined && reserved.usd !== undefined && turns > 0) it.flag('price-unknown');
  const used = {
    turns,
    tokens,
    usd: usd ?? unpricedUsd(reserved, turns),
    seconds: entry?.used.seconds ?? 0,
  };
  it.context.store.write(() => ledgerStore(it.context.store).use(it.attemptId, used));
  const note: AttemptNote = {
    usage: { ...used, toolCalls: progress.toolCalls },
    ...(progress.sessionId === undefined ? {} : { sessionId: progress.sessionId }),
  };
  it.note(note);
}

function parkForQuota(it: Supervision, outcome: WorkerOutcome & { kind: 'quota' }): void {
  const { evidence } = outcome;
  const resumeAt = outcome.resumeAt ?? new Date(it.context.now().getTime() + BACK_OFF_MS);
  openBreaker(it, { resumeAt, evidence });
  finish(it, { reason: 'parked', detail: `quota: ${evidence}`, resumeAt });
}

/** Parses the stop reason as `leaveStopped` in `watch.ts` writes it. */
function stopIn(
  detail: string | null,
): { readonly kind: string; readonly why: string } | undefined {
  const [, kind, why] = /^stop:(\w+) (.*)$/s.exec(detail ?? '') ?? [];
  return kind === undefined ? undefined : { kind, why: why ?? '' };
}

interface WorkEnd {
  readonly outcome: WorkerOutcome;
  /** The tree differs from the commit that the attempt started at. */
  readonly changed: boolean;
  /** Why the supervisor stopped it; `undefined` if it ended by itself. */
  readonly stop: { readonly kind: string; readonly why: string } | undefined;
  readonly exit: { readonly code: number | null; readonly source: string | null };
}

type Next = { readonly flags: readonly string[] } & (
  | { readonly kind: 'prove' }
  | ({ readonly kind: 'end' } & Ending)
);

/** Decides what follows from the way a worker ended. Pure. */
function afterWork({ outcome, changed, stop, exit }: WorkEnd): Next {
  if (stop !== undefined) return { kind: 'end', flags: [], ...afterStop(stop) };
  const flags = flagsOf(exit);
  const end = (reason: EndReason, detail: string, again?: 'yes'): Next => {
    return { kind: 'end', flags, reason, detail, ...(again === undefined ? {} : { again }) };
  };
  const { kind, evidence } = outcome;
  switch (kind) {
    case 'quota':
      return end('parked', `quota: ${evidence}`);
    case 'budget':
      return end('parked', `budget: ${evidence}`);
    case 'auth':
      return end('auth', evidence);
    case 'context-overflow':
      return end('context_overflow', evidence);
    case 'transient':
      return end('crashed', `transient: ${evidence}`, 'yes');
    case 'refused':
      return changed ? { kind: 'prove', flags: [...flags, 'refused'] } : end('refused', evidence);
    case 'crashed':
      return changed ? { kind: 'prove', flags } : end('crashed', evidence);
    case 'empty':
    case 'ok':
      return changed ? { kind: 'prove', flags } : end('rejected', 'no_change: nothing was changed');
  }
}

function afterStop({ kind, why }: { readonly kind: string; readonly why: string }): Ending {
  switch (kind) {
    case 'budget':
    case 'paused':
    case 'disk':
      return { reason: 'parked', detail: `${kind}: ${why}` };
    case 'stalled':
    case 'lost':
      return { reason: kind, detail: why };
    default:
      return { reason: 'timeout', detail: why };
  }
}

/** A worker that failed may still have done good work; the reader of a verdict should know. */
function flagsOf({ code, source }: WorkEnd['exit']): string[] {
  if (source === 'unknown' || code === null) return ['exit-unknown'];
  return code === 0 ? [] : [`exit-${code}`];
}
