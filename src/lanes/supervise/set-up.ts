/** Installs what the tree of a lane needs to run, from the cache where it was done before. */
import { join } from 'node:path';
import { defaultSlots, waitForSlot } from '../../process/slots.ts';
import { locksOf } from '../places.ts';
import { workerEnvironment } from '../workers/environment.ts';
import { runSetup } from '../worktree/setup.ts';
import type { Plan } from './plan.ts';
import type { Supervision } from './supervision.ts';

/** What the set-up was made of: evidence holds for it alone. Empty without one. */
export async function setUp(
  it: Supervision,
  { settings }: Plan,
  worktree = it.attempt().worktree,
): Promise<string> {
  const lane = it.lane();
  const command = lane.spec.setup ?? settings.setup;
  if (command === undefined) return '';
  const { store, env } = it.world;
  const { dir } = it.attempt();
  const locks = locksOf(store.home);
  const count = settings.slots.setup ?? defaultSlots().setup;
  const wish = { kind: 'setup', count, priority: lane.priority, owner: it.attemptId } as const;
  const slot = await waitForSlot(locks, wish, it.stopped.signal);
  try {
    const { hash } = await runSetup({
      command,
      cacheKeyFiles: settings.setupCache,
      worktree,
      project: it.run().commonDir,
      home: store.home.root,
      locks,
      env: workerEnvironment(env, {
        attempt: it.attemptId,
        stage: 'setup',
        lane: lane.id,
        run: lane.runId,
        worktree,
        home: store.home.root,
        ports: it.resources.ports(),
      }),
      logFile: join(dir, 'setup.log'),
      signal: it.stopped.signal,
    });
    return hash;
  } finally {
    slot.release();
  }
}
