/** Runs an attempt from its present state to its end. */

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ExplainedError } from '../../errors.ts';
import { dropEmptyObjects, dropEmptyRef, mendEmptyIndex } from '../../git/after-power-loss.ts';
import { GitError, gitIn } from '../../git/git.ts';
import { projectPlace } from '../../git/project.ts';
import { endMarkedProcesses, markedProcesses } from '../../process/end-tree.ts';
import { readExit, readGuard } from '../../process/guard.ts';
import { keepPorts } from '../../process/ports.ts';
import { bootId } from '../../process/process-entry.ts';
import { adoptSlot } from '../../process/slots.ts';
import { type AttemptState, isLive } from '../../store/attempts.ts';
import { checkpointRef, locksOf } from '../model/paths.ts';
import { leaveIfPossible, lostTree } from './checkpoint.ts';
import { failedOnFullDisk, leaveFullDisk } from './disk-full.ts';
import { cancelAttempt, finish, stopOf, watchIntent } from './finish.ts';
import {
  ABANDONED_STAGES,
  FencedError,
  readPorts,
  STARTED_STAGES,
  type Supervision,
} from './supervision.ts';
import { watch } from './watch.ts';

/** A supervisor that keeps failing is not restarted for ever. */
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

/** One step. An explained failure ends the attempt; any other is left to the next epoch. */
async function oneStep(it: Supervision, tries: Map<AttemptState, number>): Promise<void> {
  const { state } = it.attempt();
  try {
    await it.lookAtGit();
    await step(it);
  } catch (error) {
    if (error instanceof FencedError) throw error;
    const short = failedOnFullDisk(it, error);
    if (short !== undefined) return await leaveFullDisk(it, short, () => cancelNow(it));
    if (stopOf(it)?.kind === 'cancelled') return await cancelNow(it);
    const failed = (tries.get(state) ?? 0) + 1;
    tries.set(state, failed);
    // git may have timed out on a busy machine, or the tree changed while git read it.
    if (error instanceof GitError && failed < GIT_TRIES) return await delay(failed * RETRY_MS);
    if (!(error instanceof ExplainedError) && it.epoch < MAX_EPOCHS) throw error;
    await giveUp(it, error);
  }
}

/** Loads what each step needs: most of the time a worker runs, and is only watched. */
async function step(it: Supervision): Promise<void> {
  const { state } = it.attempt();
  if (state !== 'running' && stopOf(it)?.kind === 'cancelled') return await cancelNow(it);
  switch (state) {
    case 'starting':
      return await (await import('./prepare.ts')).prepare(it);
    case 'running':
      return await watch(it);
    case 'exited':
      return await (await import('./settle.ts')).settle(it);
    case 'validating':
      return await (await import('./prove.ts')).prove(it);
    case 'lost':
      return await (await import('./settle.ts')).settleLost(it);
    case 'ended':
    case 'cancelled':
      return;
  }
}

async function cancelNow(it: Supervision): Promise<void> {
  await endStarted(it, 'cancelled');
  const { state } = it.attempt();
  if (state === 'exited' || state === 'lost') finish(it, { reason: 'cancelled', detail: '' });
  else cancelAttempt(it);
}

async function giveUp(it: Supervision, error: unknown): Promise<void> {
  await endStarted(it, 'given up');
  const why = error instanceof Error ? error.message : String(error);
  const { state } = it.attempt();
  const hint = error instanceof ExplainedError && error.hint ? `; ${error.hint}` : '';
  if (state === 'starting' || state === 'running') it.move('exited', { exitSource: 'unknown' });
  if (isLive(it.attempt())) finish(it, { reason: 'crashed', detail: `${why}${hint}` });
}

async function endStarted(it: Supervision, reason: string): Promise<void> {
  await endMarkedProcesses(it.attemptId, { stages: STARTED_STAGES, graceMs: GRACE_MS });
  await leaveIfPossible(it, reason);
}

/** Takeover: a supervisor that is not the first of its attempt continues where the others stopped. */
async function adopt(it: Supervision): Promise<void> {
  const attempt = it.attempt();
  if (attempt.bootId !== null && attempt.bootId !== bootId()) {
    await afterReboot(it);
    return holdAgain(it);
  }
  if (it.epoch === 1) return;
  it.event('attempt.adopted', { state: attempt.state, epoch: it.epoch });
  // What the last supervisor was running itself is run again from the beginning.
  await endMarkedProcesses(it.attemptId, { stages: ABANDONED_STAGES, graceMs: GRACE_MS });
  if (attempt.state === 'starting' && workerWasStarted(it)) it.move('running', {});
  holdAgain(it);
}

/** Locks that the last supervisor held were released with it. */
function holdAgain(it: Supervision): void {
  const { state, dir, kind } = it.attempt();
  const locks = locksOf(it.context.store.home);
  const ports = readPorts(dir);
  if (ports !== undefined) it.resources.keepPorts(keepPorts(locks, ports));
  if (state !== 'running' || kind === 'validate') return;
  it.resources.keepSlot(adoptSlot(locks, { kind: 'worker', owner: it.attemptId }));
}

/** After a reboot no earlier process lives, even if another one has its number. */
async function afterReboot(it: Supervision): Promise<void> {
  const { state } = it.attempt();
  await mendTree(it);
  it.note({ bootId: bootId() });
  if (state === 'running' || (state === 'starting' && workerWasStarted(it))) {
    it.move('lost', { endDetail: 'reboot' });
  }
}

/** After a power loss. Runs before the boot is noted, so that it is repeated if it is interrupted. */
async function mendTree(it: Supervision): Promise<void> {
  const { commonDir } = it.run();
  const { branch, key } = it.lane();
  dropEmptyObjects(join(commonDir, 'objects'));
  for (const ref of [`refs/heads/${branch}`, checkpointRef(it.run(), key)]) {
    dropEmptyRef(join(commonDir, ref));
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
    readGuard(dir) !== undefined ||
    readExit(dir) !== 'none' ||
    markedProcesses(it.attemptId).some(({ stage }) => stage === 'worker')
  );
}
