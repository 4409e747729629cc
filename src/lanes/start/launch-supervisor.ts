/** Starts the supervisor of an attempt. */
import { type Attempt, attemptStore } from '../../store/attempts.ts';
import { laneEnvironment } from '../settings/lane-environment.ts';
import type { LaneContext } from '../spec/context.ts';
import { startProgram } from './launch.ts';

/** A second supervisor is launched only after this time: the first may have died at its start. */
const LAUNCH_EVERY_MS = 1_500;

/** Supervisors may be many. The memory that each flag saves was measured while a worker ran. */
const SAVE_MEMORY = [
  // A smaller young generation, which is collected earlier: 20 MB.
  '--max-semi-space-size=1',
  // No compilers: nothing runs often enough to be worth them: 5 MB.
  '--no-opt',
  '--no-maglev',
  '--no-sparkplug',
  // Lets the memory of the preparation be freed (`run/watch.ts`).
  '--expose-gc',
];

/** True if this call has started one. If several are started, the lock decides which one continues. */
export function launchSupervisor(context: LaneContext, attempt: Attempt): boolean {
  const { store, now } = context;
  const { id, laneId, dir: folder } = attempt;
  const mine = store.write(() => attemptStore(store).claimLaunch(id, LAUNCH_EVERY_MS, now()));
  if (!mine) return false;
  const env = laneEnvironment(context, laneId);
  startProgram({ store, env }, { flags: SAVE_MEMORY, what: id, folder, log: 'sup.log' });
  return true;
}
