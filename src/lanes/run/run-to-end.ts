/** Runs an attempt from its present state to its end. */

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ExplainedError } from '../../base/errors.ts';
import type { Home } from '../../base/files/home.ts';
import { dropEmptyObjects, dropIfEmpty, mendEmptyIndex } from '../../base/git/after-power-loss.ts';
import { GitError } from '../../base/git/git.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { projectPlace } from '../../base/git/project.ts';
import { endMarkedProcesses, markedProcesses } from '../../base/process/end-tree.ts';
import { readExit, readPid } from '../../base/process/guard.ts';
import { keepPorts } from '../../base/process/ports.ts';
import { bootId } from '../../base/process/process-entry.ts';
import { adoptSlot } from '../../base/process/slots.ts';
import { type AttemptState, isLive } from '../../store/attempts.ts';
import { isDiskFullError } from '../../store/errors.ts';
import { laneStore } from '../../store/lanes.ts';
import { failedOnFullDisk as isStoreDiskFull, spendReserve } from '../../store/reserve.ts';
import { checkpointRef } from '../spec/paths.ts';
import { leaveIfPossible, lostTree } from './checkpoint.ts';
import { CANCELLED, type Ending, finish, stopOf, watchIntent } from './finish.ts';
import {
  ABANDONED_STAGES,
  diskShortage,
  FencedError,
  readPorts,
  STARTED_STAGES,
  type Supervision,
  textOf,
} from './supervision.ts';
import { watch } from './watch.ts';

/** The most supervisors of an attempt: one that keeps failing is not restarted for ever. */
const MAX_EPOCHS = 6;
const GRACE_MS = 2_000;
const GIT_TRIES = 4;
const RETRY_MS = 1_000;

export async function runToEnd(it: Supervision): Promise<void> {
  await adopt(it);
  const intent = watchIntent(it);
  try {
    const tries = new Map<AttemptState, number>();
    while (isLive(it.attempt())) await oneStep(it, tries);
  } finally {
    intent.stop();
  }
}

async function oneStep(it: Supervision, tries: Map<AttemptState, number>): Promise<void> {
  const { state } = it.attempt();
  try {
    // Later changes by a worker are seen at each checkpoint.
    await it.lookAtGitFirst();
    await step(it);
  } catch (error) {
    if (error instanceof FencedError) throw error;
    // Many programs do not report a full disk as the cause.
    const short = diskShortage(it) ?? (isDiskFullError(error) ? textOf(error) : undefined);
    if (short !== undefined) return await leaveFullDisk(it, short);
    if (stopOf(it)?.kind === 'cancelled') return await endNow(it, 'cancelled', CANCELLED);
    const failed = (tries.get(state) ?? 0) + 1;
    tries.set(state, failed);
    // git may have timed out on a busy machine, or the tree changed while git read it.
    if (error instanceof GitError && failed < GIT_TRIES) return await delay(failed * RETRY_MS);
    await endNow(it, 'given up', { reason: 'crashed', ...causeOf(it, error) });
  }
}

/** The cause of an end. One lane fails with a failing setup; other lanes with this setup wait for it. */
function causeOf(it: Supervision, error: unknown): Omit<Ending, 'reason'> & Partial<Ending> {
  const detail = explained(error, it.epoch);
  if (!(error instanceof ExplainedError) || error.code !== 'SETUP_FAILED') return { detail };
  if (it.attempt().state === 'validating') return { cause: 'could-not-run', detail };
  const other = laneStore(it.context.store).setupFailedIn(it.lane().id);
  if (other === undefined) return { cause: 'setup', detail };
  return { reason: 'parked', cause: 'setup', detail: `it failed as in lane ${other}` };
}

/** @throws any error other than an {@link ExplainedError}, until the last epoch. */
function explained(error: unknown, epoch: number): string {
  if (error instanceof ExplainedError) return [error.message, error.hint ?? []].flat().join('; ');
  if (epoch < MAX_EPOCHS) throw error;
  return textOf(error);
}

/** Runs a step; its code is loaded on use, because most of the time a worker only has to be watched. */
async function step(it: Supervision): Promise<void> {
  const { state } = it.attempt();
  if (state !== 'running' && stopOf(it)?.kind === 'cancelled')
    return await endNow(it, 'cancelled', CANCELLED);
  switch (state) {
    case 'starting':
      return await (await import('./prepare.ts')).prepare(it);
    case 'running':
      return await watch(it);
    case 'exited':
      return await (await import('./settle.ts')).settle(it);
    case 'validating':
      return await (await import('./validate.ts')).validate(it);
    case 'lost':
      return await (await import('./settle.ts')).settleLost(it);
    case 'ended':
    case 'cancelled':
      return;
  }
}

async function endNow(it: Supervision, words: string, ending: Ending): Promise<void> {
  await endMarkedProcesses(it.attemptId, { stages: STARTED_STAGES, graceMs: GRACE_MS });
  await leaveIfPossible(it, words);
  if (isLive(it.attempt())) finish(it, ending);
}

/** About ten minutes. Later, the next reconcile with enough space starts another supervisor. */
const WRITE_TRIES = 600;

/** Ends processes that may be filling the disk, then frees the reserve. */
async function freeDiskSpace(home: Home, attemptId: string): Promise<void> {
  await endMarkedProcesses(attemptId, { stages: STARTED_STAGES, graceMs: GRACE_MS });
  spendReserve(home);
}

/** Writes; on a full disk it frees space and tries again, and waits if other programs use that space. */
export async function untilWritten<T>(home: Home, attemptId: string, write: () => T): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return write();
    } catch (error) {
      if (!isStoreDiskFull(home, error) || tries === WRITE_TRIES) throw error;
    }
    await freeDiskSpace(home, attemptId);
    if (tries > 1) await delay(RETRY_MS);
  }
}

/** Ends an attempt on a full disk, which is no failure of the work: the tree is kept, and the lane waits for space. */
async function leaveFullDisk(it: Supervision, detail: string): Promise<void> {
  const { home } = it.context.store;
  await freeDiskSpace(home, it.attemptId);
  it.resources.releaseSlot();
  if (stopOf(it)?.kind === 'cancelled') return await endNow(it, 'cancelled', CANCELLED);
  await leaveIfPossible(it, 'disk full');
  await untilWritten(home, it.attemptId, () => {
    if (isLive(it.attempt())) finish(it, { reason: 'parked', cause: 'disk', detail });
  });
}

/** Takes over: a supervisor that is not the first of its attempt continues where the others stopped. */
async function adopt(it: Supervision): Promise<void> {
  const attempt = it.attempt();
  if (attempt.bootId !== null && attempt.bootId !== bootId()) {
    await afterReboot(it);
    return holdAgain(it);
  }
  if (it.epoch === 1) return;
  it.event('attempt.adopted', { state: attempt.state, epoch: it.epoch });
  // Steps that the last supervisor was running are repeated from the beginning.
  await endMarkedProcesses(it.attemptId, { stages: ABANDONED_STAGES, graceMs: GRACE_MS });
  if (attempt.state === 'starting' && workerWasStarted(it)) it.move('running', { endDetail: null });
  holdAgain(it);
}

/** Takes the locks again that were released with the last supervisor. */
function holdAgain(it: Supervision): void {
  const { state, dir, kind } = it.attempt();
  const locks = it.context.store.home.locks;
  const ports = readPorts(dir);
  if (ports !== undefined) it.resources.keepPorts(keepPorts(locks, ports));
  if (state !== 'running' || kind === 'validate') return;
  it.resources.keepSlot(adoptSlot(locks, 'worker'));
}

/** Repairs after a reboot: no earlier process lives, even if another one has its number. */
async function afterReboot(it: Supervision): Promise<void> {
  const { state } = it.attempt();
  await mendTree(it);
  it.note({ bootId: bootId() });
  if (state === 'running' || (state === 'starting' && workerWasStarted(it))) {
    it.move('lost', { endDetail: 'reboot' });
  }
}

/** Repairs a tree after a power loss. It runs before the boot is noted, so that an interruption repeats it. */
async function mendTree(it: Supervision): Promise<void> {
  const { commonDir } = it.run();
  const { branch, key } = it.lane();
  dropEmptyObjects(join(commonDir, 'objects'));
  for (const ref of [`refs/heads/${branch}`, checkpointRef(it.run(), key)]) {
    dropIfEmpty(join(commonDir, ref));
  }
  if (lostTree(it) !== undefined) return;
  const { worktree, startSha } = it.attempt();
  const { gitDir } = projectPlace(worktree);
  const git = gitIn(worktree, it.context.env);
  if (gitDir !== undefined) await mendEmptyIndex(git, gitDir, it.lane().headSha ?? startSha);
}

function workerWasStarted(it: Supervision): boolean {
  const { dir } = it.attempt();
  return (
    readPid(dir, 'guard') !== undefined ||
    readExit(dir) !== 'none' ||
    markedProcesses(it.attemptId).some(({ stage }) => stage === 'worker')
  );
}
