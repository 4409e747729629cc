/** Starts the supervisor of an attempt: a process of its own session. */
import { join } from 'node:path';
import type { Environment } from '../environment.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import { startDetached } from '../process/detached.ts';
import { type Attempt, attemptStore } from '../store/attempts.ts';
import type { LaneContext } from './context.ts';
import { supervisorProgram } from './supervisor-program.ts';

/** Two ticks do not start the same supervisor twice; one that died at its start is started again. */
const LAUNCH_EVERY_MS = 1_500;

/**
 * There may be many, and all they do is look, four times a second. What each of these saves was
 * measured while a worker ran; together they cost 60 ms at the start.
 */
const FRUGAL = [
  // V8 would let sixteen megabytes of leftovers pile up before it clears them away: 20 MB.
  '--max-semi-space-size=1',
  // Nothing here runs often enough to be worth compilers: 5 MB.
  ...['--no-opt', '--no-maglev', '--no-sparkplug'],
  // Pages of Node's own snapshot, most of which nobody needs: 2 MB.
  '--no-node-snapshot',
  // So that what came before the watching can be given back (`heapCollector.ts`).
  '--expose-gc',
];

/** True if this call started one; the lock decides which of several goes on. */
export function launchSupervisor(context: LaneContext, attempt: Attempt): boolean {
  const { store } = context;
  const mine = store.write(() =>
    attemptStore(store).claimLaunch(attempt.id, LAUNCH_EVERY_MS, context.now()),
  );
  if (!mine) return false;
  start(context, { flags: FRUGAL, what: attempt.id, folder: attempt.dir, log: 'sup.log' });
  return true;
}

export const TICK = '--tick';

/** A tick in a process of its own, for those who may not wait for one. */
export function launchTick(context: LaneContext): void {
  const folder = join(context.store.home.runs, 'lanes');
  start(context, { flags: [], what: TICK, folder, log: 'tick.log' });
}

interface Start {
  /** Node's own. */
  readonly flags: readonly string[];
  readonly what: string;
  readonly folder: string;
  readonly log: string;
}

function start({ store, env }: LaneContext, { flags, what, folder, log }: Start): void {
  makePrivateFolder(folder);
  const program = supervisorProgram(store.home, env);
  startDetached(process.execPath, [...flags, program.file, what], {
    cwd: folder,
    env: {
      LANEHOLD_NODE_PATH: env.NODE_PATH ?? '',
      ...ownEnvironment(env),
      ...program.env,
      LANEHOLD_HOME: store.home.root,
    },
    logFile: join(folder, log),
  });
}

/**
 * A tick may run inside of a worker: its supervisor must not carry that worker's marker, or it would
 * be ended with it.
 */
function ownEnvironment(env: Environment): Record<string, string> {
  const entries = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || OF_AN_ATTEMPT.test(name) ? [] : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}

const OF_AN_ATTEMPT = /^LANEHOLD_(?:ATTEMPT|STAGE|LANE|RUN|WORKTREE|PORT_\d+|GUARD|PROJECT|AGENT)$/;
