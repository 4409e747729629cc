/** Takeover: a supervisor that is not the first of its attempt continues where the others stopped. */
import { join } from 'node:path';
import { dropEmptyObjects, dropEmptyRef, mendEmptyIndex } from '../../git/after-power-loss.ts';
import { gitIn } from '../../git/git.ts';
import { projectPlace } from '../../git/project.ts';
import { endMarkedProcesses } from '../../process/end-tree.ts';
import { readExit, readGuard } from '../../process/guard.ts';
import { markedProcesses } from '../../process/marker.ts';
import { keepPorts } from '../../process/ports.ts';
import { bootId } from '../../process/process-identity.ts';
import { adoptSlot } from '../../process/slots.ts';
import { checkpointRef, locksOf } from '../paths.ts';
import { lostTree } from './leave-tree.ts';
import { readPorts } from './resources.ts';
import { ABANDONED_STAGES, type Supervision } from './supervision.ts';

const GRACE_MS = 2_000;

export async function adopt(it: Supervision): Promise<void> {
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
