/** A supervisor that is not the first of its attempt finds out how far the others came. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { holdersOf } from '../../process/cookie.ts';
import { endHolders } from '../../process/end-tree.ts';
import { readExit, readGuard } from '../../process/guard.ts';
import { keepPorts } from '../../process/ports.ts';
import { bootId } from '../../process/process-identity.ts';
import { adoptSlot } from '../../process/slots.ts';
import { locksOf } from '../places.ts';
import type { Supervision } from './supervision.ts';

const GRACE_MS = 2_000;
export const PORTS_FILE = 'ports.json';

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
  if (it.attempt().state === 'running') holdAgain(it);
}

/** What the worker goes on using went back to everybody when its supervisor died. */
function holdAgain(it: Supervision): void {
  const locks = locksOf(it.world.store.home);
  it.resources.keepSlot(adoptSlot(locks, { kind: 'worker', owner: it.attemptId }));
  const ports = portsIn(join(it.attempt().dir, PORTS_FILE));
  if (ports.length > 0) it.resources.keepPorts(keepPorts(locks, ports));
}

function portsIn(file: string): readonly number[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    // Not there, or cut short: then nothing was told to the worker either.
    if (error instanceof Error) return [];
    throw error;
  }
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
