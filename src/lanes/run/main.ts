/**
 * The program of a supervisor: `supervisor.cjs <attempt id>` supervises that attempt in a session of its own, and those
 * after it; `supervisor.cjs --reconcile` runs one reconcile, `--baseline=<lane id>` the validation of a lane on its
 * base, `--pulls=<run id>` watches the pull requests of a run, `--notify` notifies a person.
 */
import { appendFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { STAGE_VARIABLE } from '../../base/environment.ts';
import { type Home, homeOf } from '../../base/files/home.ts';
import { ATTEMPT_VARIABLE } from '../../base/process/end-tree.ts';
import { takeLockWithin } from '../../base/process/held-lock.ts';
import { attemptStore, isLive } from '../../store/attempts.ts';
import { waitLonger } from '../../store/connect.ts';
import { openStore } from '../../store/open.ts';
import { keepReserve, onReserve } from '../../store/reserve.ts';
import type { LaneContext } from '../spec/context.ts';
import { attemptDir, supervisorLock } from '../spec/paths.ts';
import { BASELINE, NOTIFY, PULLS, RECONCILE, supervisorLog, type Take } from '../start/launch.ts';
import { runToEnd, untilWritten } from './run-to-end.ts';
import { FencedError, OWN_STAGE, resources, superviseAttempt } from './supervision.ts';

const LOCK_WAIT_MS = 500;

/**
 * How long a write waits for a process that keeps the database locked: a supervisor that gave up would leave its worker
 * unsupervised, and it can do nothing else before the write.
 */
const LOCKED_MS = 10 * 60_000;

async function main(what: string): Promise<void> {
  // The variable is only for finding the native library; a worker's programs must get the original value.
  if (process.env.LANEHOLD_NODE_PATH) process.env.NODE_PATH = process.env.LANEHOLD_NODE_PATH;
  else delete process.env.NODE_PATH;
  // Compiling the code that is loaded below is most of the work of a short attempt.
  enableCompileCache(join(dirname(process.argv[1] ?? ''), 'compiled'));
  const home = homeOf(process.env);
  const [, option = '', of = ''] = /^(--\w+=?)(.*)$/.exec(what) ?? [];
  const work = OTHERS[option];
  if (work === undefined) return await superviseFrom(home, what);
  const store = onReserve(await openStore(home));
  await work({ store, env: process.env, now: () => new Date() }, of);
}

/** The other tasks of the program, by its option; each is loaded when needed. */
const OTHERS: Readonly<Record<string, (context: LaneContext, of: string) => Promise<unknown>>> = {
  [RECONCILE]: (context) => runReconcile(context),
  [NOTIFY]: async (context) => (await import('../talk/notify.ts')).notify(context),
  [PULLS]: async (context, id) => (await import('../pull/watch.ts')).watchPulls(context, id),
  [BASELINE]: async (context, id) => {
    return (await import('../judge/validate-commit.ts')).takeBaseline(context, id);
  },
};

/**
 * The longest attempt after which the process continues with the next: a start of Node is a large part of a short
 * attempt. After a long one a new process saves memory.
 */
const SHORT_MS = 30_000;

/** Supervises an attempt, and after a short one the next due attempt. */
async function superviseFrom(home: Home, attemptId: string): Promise<void> {
  const store = await openStore(home);
  waitLonger(store.db, LOCKED_MS);
  const context: LaneContext = { store, env: process.env, now: () => new Date() };
  process.on('SIGTERM', () => undefined);
  for (let id: string | undefined = attemptId; id !== undefined; ) {
    const dir = attemptDir(home, id);
    try {
      id = await supervise(context, id);
    } catch (error) {
      appendFileSync(supervisorLog(dir), textOf(error));
      process.exit(1);
    }
  }
}

/** @returns the attempt with which this process continues. */
async function supervise(context: LaneContext, attemptId: string): Promise<string | undefined> {
  const { store } = context;
  const { home } = store;
  // The lock comes before the epoch: otherwise two supervisors could replace each other for ever. Two that start at
  // once may each see the lock as held: after a short wait one of them gets it.
  const begun = performance.now();
  const lock = takeLockWithin(supervisorLock(attemptDir(home, attemptId)), LOCK_WAIT_MS);
  if (lock === undefined) return undefined;
  const attempts = attemptStore(store);
  const attempt = attempts.byId(attemptId);
  if (attempt === undefined || !isLive(attempt)) return undefined;
  const epoch = await untilWritten(home, attemptId, () =>
    store.write(() => attempts.takeOver(attemptId, context.now())),
  );
  keepReserve(home);
  const held = resources();
  const env = { ...context.env, [ATTEMPT_VARIABLE]: attemptId, [STAGE_VARIABLE]: OWN_STAGE };
  const supervision = superviseAttempt({ ...context, env }, { id: attemptId, epoch }, held);
  try {
    await runToEnd(supervision);
  } catch (error) {
    if (error instanceof FencedError) return undefined;
    throw error;
  } finally {
    held.releaseAll();
  }
  // A held lock would tell the reconcile that the lane is at work.
  lock.release();
  const wasShort = performance.now() - begun < SHORT_MS;
  let next: string | undefined;
  await runReconcile(context, ({ id }, itsEnv) => {
    const isTaken = wasShort && !next && isDeepStrictEqual(itsEnv, { ...process.env });
    if (isTaken) next = id;
    return isTaken;
  });
  return next;
}

/** Loaded lazily, because it is not needed while a worker runs. */
async function runReconcile(context: LaneContext, take?: Take): Promise<void> {
  const { reconcile } = await import('../start/reconcile.ts');
  await reconcile(context, undefined, take);
}

const textOf = (error: unknown): string =>
  `${error instanceof Error ? error.stack : String(error)}\n`;

main(process.argv[2] ?? '').then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(textOf(error));
    process.exit(1);
  },
);
