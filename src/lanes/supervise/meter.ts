/** Measures what a worker uses, and stops it at its caps. */
import { ledgerStore, type Spent } from '../../store/ledger.ts';
import type { Budget } from '../../store/runs.ts';
import { overBudget, unpricedCaps } from '../budget.ts';
import { shortage } from '../disk-space.ts';
import { watchAccount } from './account.ts';
import { writtenFolders } from './disk-full.ts';
import { isThere } from './leave-tree.ts';
import { type OwnUse, ownUse } from './own-use.ts';
import type { Plan } from './plan.ts';
import { stopWorker } from './stop.ts';
import type { WorkerStream } from './stream.ts';
import type { Supervision } from './supervision.ts';

const PROGRESS_MS = 5_000;
/** Disks fill up quickly. */
const FOLDERS_MS = 1_000;

export interface Meter {
  read(stream: WorkerStream, said: boolean): void;
  /** Stops the worker if a cap is exceeded. @param activeAt when there was activity last. */
  judge(activeAt: number): void;
  outputAt(): number;
}

export function newMeter(it: Supervision, { settings, worker }: Plan): Meter {
  const { store, now } = it.context;
  const ledger = ledgerStore(store);
  const account = watchAccount(it);
  const entry = ledger.of(it.attemptId);
  const before = entry?.used.seconds ?? 0;
  const startedAt = performance.now();
  const timeoutS = it.lane().spec.timeoutS;
  let outputAt = performance.now();
  let notedAt = 0;
  let foldersAt = 0;
  let stallTold = false;
  let used: Spent = { turns: 0, seconds: 0, tokens: 0, usd: 0 };
  let priced = true;

  const keepsToUsd = worker?.adapter.keepsTo?.includes('usd') ?? false;
  const reserved = entry?.reserved ?? {};
  const cap = (): Budget => (priced ? reserved : unpricedCaps(reserved));
  const judgeQuiet = (quietMs: number): void => {
    if (quietMs <= settings.stallMs) return;
    if (!stallTold) it.flag('stalled');
    stallTold = true;
    const why = `nothing happened for ${Math.round(quietMs / 1000)} s`;
    if (settings.onStall === 'stop') stopWorker(it, { kind: 'stalled', why });
  };
  return {
    outputAt: () => outputAt,
    read(stream, said) {
      if (said) outputAt = performance.now();
      const progress = stream.reader.progress();
      account.look(progress);
      const own = ownUse(it, progress);
      used = spentBy(own, before + (performance.now() - startedAt) / 1000);
      priced = keepsToUsd || own.usd !== undefined || own.turns === 0;
      if (performance.now() - notedAt < PROGRESS_MS && overBudget(cap(), used) === undefined)
        return;
      notedAt = performance.now();
      store.write(() => ledger.use(it.attemptId, used));
      it.note({
        progressAt: now(),
        usage: { ...used, toolCalls: progress.toolCalls },
        ...(said ? { lastOutputAt: now() } : {}),
        ...(progress.sessionId === undefined ? {} : { sessionId: progress.sessionId }),
      });
      if (!priced && reserved.usd !== undefined) it.flag('price-unknown');
    },
    judge(activeAt) {
      const over = overBudget(cap(), used);
      if (over !== undefined) stopWorker(it, { kind: 'budget', why: over });
      if (used.seconds > timeoutS) stopWorker(it, { kind: 'timeout', why: `after ${timeoutS} s` });
      judgeQuiet(performance.now() - activeAt);
      if (performance.now() - foldersAt < FOLDERS_MS) return;
      foldersAt = performance.now();
      judgeFolders(it);
    },
  };
}

/** Stops the worker on a nearly full disk, while there is space left to record it. */
function judgeFolders(it: Supervision): void {
  const { worktree } = it.attempt();
  const short = shortage(writtenFolders(it));
  if (short !== undefined) stopWorker(it, { kind: 'disk', why: short });
  if (!isThere(worktree)) stopWorker(it, { kind: 'lost', why: `${worktree} is gone` });
}

function spentBy({ turns, tokens, usd }: OwnUse, seconds: number): Spent {
  return { turns, seconds: Math.round(seconds), tokens, usd: usd ?? 0 };
}
