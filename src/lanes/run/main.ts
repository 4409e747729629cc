/**
 * The program of a supervisor: `supervisor.cjs <attempt id>` supervises one attempt in a session of
 * its own; `supervisor.cjs --reconcile` runs one reconcile, `--baseline=<lane id>` the validation of a
 * lane on its base, `--pulls=<run id>` watches the pull requests of a run, `--notify` tells a person what
 * they have not been told.
 */
import { enableCompileCache } from 'node:module';
import { dirname, join } from 'node:path';
import { STAGE_VARIABLE } from '../../base/environment.ts';
import { type Home, homeOf } from '../../base/files/home.ts';
import { ATTEMPT_VARIABLE } from '../../base/process/end-tree.ts';
import { type HeldLock, takeLockWithin } from '../../base/process/held-lock.ts';
import { attemptStore, isLive } from '../../store/attempts.ts';
import { waitLonger } from '../../store/connect.ts';
import { openStore } from '../../store/open.ts';
import { keepReserve, onReserve } from '../../store/reserve.ts';
import type { LaneContext } from '../spec/context.ts';
import { attemptDir, supervisorLock } from '../spec/paths.ts';
import { BASELINE, NOTIFY, PULLS, RECONCILE } from '../start/launch.ts';
import { runToEnd, untilWritten } from './run-to-end.ts';
import { FencedError, OWN_STAGE, resources, superviseAttempt } from './supervision.ts';

/** Kept in module scope: the lock would be released when its handle is garbage-collected. */
let lock: HeldLock | undefined;

const LOCK_WAIT_MS = 500;

/**
 * How long a write waits for a process that keeps the database locked: a supervisor that gave up would leave
 * its worker unsupervised, and nothing else of it may happen before the write.
 */
const LOCKED_MS = 10 * 60_000;

async function main(what: string): Promise<void> {
  // Needed only to find the native library; a worker's programs must get the original value.
  if (process.env.LANEHOLD_NODE_PATH) process.env.NODE_PATH = process.env.LANEHOLD_NODE_PATH;
  else delete process.env.NODE_PATH;
  // Most of what a short attempt does is compiling what it loads from here on.
  enableCompileCache(join(dirname(process.argv[1] ?? ''), 'compiled'));
  const home = homeOf(process.env);
  const [, option = '', of = ''] = /^(--\w+=?)(.*)$/.exec(what) ?? [];
  const work = OTHERS[option];
  if (work === undefined) return await supervise(home, what);
  const store = onReserve(await openStore(home));
  await work({ store, env: process.env, now: () => new Date() }, of);
}

/** What the program does besides supervising, by its option; each is loaded when it is needed. */
const OTHERS: Readonly<Record<string, (context: LaneContext, of: string) => Promise<unknown>>> = {
  [RECONCILE]: runReconcile,
  [NOTIFY]: async (context) => (await import('../talk/notify.ts')).notify(context),
  [PULLS]: async (context, id) => (await import('../pull/watch.ts')).watchPulls(context, id),
  [BASELINE]: async (context, id) => {
    return (await import('../judge/baseline.ts')).takeBaseline(context, id);
  },
};

async function supervise(home: Home, attemptId: string): Promise<void> {
  const dir = attemptDir(home, attemptId);
  // First the lock, then the epoch: otherwise two supervisors could replace each other for ever. Two
  // that start at once may each see the lock as held: after a short wait one of them gets it.
  lock = takeLockWithin(supervisorLock(dir), LOCK_WAIT_MS);
  if (lock === undefined) return;
  const store = await openStore(home);
  waitLonger(store.db, LOCKED_MS);
  const context: LaneContext = { store, env: process.env, now: () => new Date() };
  const attempts = attemptStore(store);
  const attempt = attempts.byId(attemptId);
  if (attempt === undefined || !isLive(attempt)) return;
  const epoch = await untilWritten(home, attemptId, () =>
    store.write(() => attempts.takeOver(attemptId, context.now())),
  );
  keepReserve(home);
  const held = resources();
  const env = { ...context.env, [ATTEMPT_VARIABLE]: attemptId, [STAGE_VARIABLE]: OWN_STAGE };
  const supervision = superviseAttempt({ ...context, env }, { id: attemptId, epoch }, held);
  process.on('SIGTERM', () => undefined);
  try {
    await runToEnd(supervision);
  } catch (error) {
    if (error instanceof FencedError) return;
    throw error;
  } finally {
    held.releaseAll();
  }
  // A held lock would tell the reconcile that the lane is at work.
  lock.release();
  await runReconcile(context);
}

/** Loaded lazily: it is not needed while a worker runs. */
async function runReconcile(context: LaneContext): Promise<void> {
  const { reconcile } = await import('../start/reconcile.ts');
  await reconcile(context);
}

/** An unexpected error goes to the attempt's log; the next reconcile starts another supervisor. */
main(process.argv[2] ?? '').then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
