/**
 * The process that looks after one attempt, `supervisor.cjs <attempt id>`, in a session of its own;
 * or, `supervisor.cjs --tick`, one look at all lanes.
 */

import { ATTEMPT_VARIABLE, STAGE_VARIABLE } from '../../process/marker.ts';
import { identityOf } from '../../process/process-identity.ts';
import { attemptStore, isLive } from '../../store/attempts.ts';
import { type HeldLock, takeLockWithin } from '../../store/held-lock.ts';
import { type Home, homeOf } from '../../store/home.ts';
import { openStore } from '../../store/open.ts';
import { keepReserve, onReserve } from '../../store/reserve.ts';
import type { LaneContext } from '../context.ts';
import { TICK } from '../launch.ts';
import { attemptDir, supervisorLock } from '../paths.ts';
import { firstWord } from './disk-full.ts';
import { resources } from './resources.ts';
import { retryingStore } from './retrying-store.ts';
import { runToEnd } from './run-to-end.ts';
import { OWN_STAGE } from './stages.ts';
import { FencedError, superviseAttempt } from './supervision.ts';

/** Kept where nothing collects it: with the handle the lock would go. */
let lock: HeldLock | undefined;

const LOCK_WAIT_MS = 500;

async function main(what: string): Promise<void> {
  // The library was found; a worker's own programs look for theirs in their own places.
  if (process.env.LANEHOLD_NODE_PATH) process.env.NODE_PATH = process.env.LANEHOLD_NODE_PATH;
  else delete process.env.NODE_PATH;
  const home = homeOf(process.env);
  if (what !== TICK) return await supervise(home, what);
  await look({ store: onReserve(await openStore(home)), env: process.env, now: () => new Date() });
}

async function supervise(home: Home, attemptId: string): Promise<void> {
  const dir = attemptDir(home, attemptId);
  // First the lock, then the epoch: the other way round two could push each other out for ever.
  // Two that are started at once may each take the other for the holder: who waits a moment gets it.
  lock = takeLockWithin(supervisorLock(dir), LOCK_WAIT_MS);
  if (lock === undefined) return;
  const store = retryingStore(await openStore(home));
  const context: LaneContext = { store, env: process.env, now: () => new Date() };
  const attempts = attemptStore(store);
  const attempt = attempts.byId(attemptId);
  if (attempt === undefined || !isLive(attempt)) return;
  const self = identityOf(process.pid);
  const epoch = await firstWord(home, attemptId, () =>
    store.write(() => attempts.takeOver(attemptId, process.pid, self?.start ?? '', context.now())),
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
  // Before the next one is looked for: this lane's lock would say that somebody is at work.
  lock.release();
  await look(context);
}

/** While a worker runs nobody needs what this loads. */
async function look(context: LaneContext): Promise<void> {
  const { tick } = await import('../tick.ts');
  await tick(context);
}

/** What nobody foresaw stands in the log of the attempt; the next tick starts another supervisor. */
main(process.argv[2] ?? '').then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);
