/** A supervisor that is not the first of its attempt finds out how far the others came. */
import { holdersOf } from '../../process/cookie.ts';
import { endHolders } from '../../process/end-tree.ts';
import { readExit, readGuard } from '../../process/guard.ts';
import { bootId } from '../../process/process-identity.ts';
import type { Supervision } from './supervision.ts';

const GRACE_MS = 2_000;

export async function adopt(it: Supervision): Promise<void> {
  const attempt = it.attempt();
  if (attempt.bootId !== null && attempt.bootId !== bootId()) {
    await afterReboot(it);
    return;
  }
  if (it.epoch === 1) return;
  it.event('attempt.adopted', { state: attempt.state, epoch: it.epoch });
  // What another supervisor was running for itself is run again, from the beginning.
  await endHolders(it.attemptId, { stages: ['setup', 'validate'], graceMs: GRACE_MS });
  if (attempt.state === 'starting' && workerWasStarted(it)) it.move('running', {});
}

/** Nothing that ran before lives now, whatever the process table says of its numbers. */
async function afterReboot(it: Supervision): Promise<void> {
  const { state } = it.attempt();
  it.note({ boot_id: bootId() });
  if (state === 'running' || (state === 'starting' && workerWasStarted(it))) {
    it.move('lost', { end_detail: 'reboot' });
  }
}

function workerWasStarted(it: Supervision): boolean {
  const { dir } = it.attempt();
  return (
    readGuard(dir) !== undefined ||
    readExit(dir) !== 'none' ||
    holdersOf(it.attemptId).some(({ stage }) => stage === 'worker')
  );
}
