/** Leads an attempt from the state in which it is found to its end. */
import { ExplainedError } from '../../errors.ts';
import { endHolders } from '../../process/end-tree.ts';
import { isLive } from '../../store/attempts.ts';
import { adopt } from './adopt.ts';
import { cancelAttempt, finish } from './finish.ts';
import { leaveTree } from './leave-tree.ts';
import { prepare } from './prepare.ts';
import { prove } from './prove.ts';
import { settle, settleLost } from './settle.ts';
import { STARTED_STAGES } from './stages.ts';
import { stopOf, watchIntent } from './stop.ts';
import { FencedError, type Supervision } from './supervision.ts';
import { watch } from './watch.ts';

/** A supervisor that fails again and again is not started for ever. */
const MAX_EPOCHS = 6;
const GRACE_MS = 2_000;

export async function runToEnd(it: Supervision): Promise<void> {
  await adopt(it);
  const intent = watchIntent(it);
  try {
    while (isLive(it.attempt())) await guarded(it);
  } finally {
    intent.stop();
  }
}

/** One step; a failure that explains itself ends the attempt, any other is left to the next epoch. */
async function guarded(it: Supervision): Promise<void> {
  try {
    await step(it);
  } catch (error) {
    if (error instanceof FencedError) throw error;
    if (stopOf(it)?.kind === 'cancelled') return await cancelNow(it);
    if (!(error instanceof ExplainedError) && it.epoch < MAX_EPOCHS) throw error;
    await giveUp(it, error);
  }
}

async function step(it: Supervision): Promise<void> {
  const { state } = it.attempt();
  if (state !== 'running' && stopOf(it)?.kind === 'cancelled') return await cancelNow(it);
  switch (state) {
    case 'starting':
      return await prepare(it);
    case 'running':
      return await watch(it);
    case 'exited':
      return await settle(it);
    case 'validating':
      return await prove(it);
    case 'lost':
      return await settleLost(it);
    case 'ended':
    case 'cancelled':
      return;
  }
}

async function cancelNow(it: Supervision): Promise<void> {
  await endHolders(it.attemptId, { stages: STARTED_STAGES, graceMs: GRACE_MS });
  await leaveIfPossible(it);
  const { state } = it.attempt();
  if (state === 'exited' || state === 'lost') finish(it, { reason: 'cancelled', detail: '' });
  else cancelAttempt(it);
}

/** What hinders a checkpoint does not keep what was cancelled going. */
async function leaveIfPossible(it: Supervision): Promise<void> {
  try {
    await leaveTree(it, 'cancelled');
  } catch (error) {
    if (error instanceof FencedError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    it.event('checkpoint.failed', { why });
  }
}

async function giveUp(it: Supervision, error: unknown): Promise<void> {
  await endHolders(it.attemptId, { stages: STARTED_STAGES, graceMs: GRACE_MS });
  const why = error instanceof Error ? error.message : String(error);
  const { state } = it.attempt();
  const hint = error instanceof ExplainedError && error.hint ? `; ${error.hint}` : '';
  if (state === 'starting' || state === 'running') it.move('exited', { exit_source: 'unknown' });
  if (isLive(it.attempt())) finish(it, { reason: 'crashed', detail: `${why}${hint}` });
}
