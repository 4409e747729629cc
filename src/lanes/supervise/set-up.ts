/** Runs the setup of a lane's tree, or takes its result from the cache. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workerEnvironment } from '../../agents/worker/environment.ts';
import { readPlainFile } from '../../files/plain-file.ts';
import { gitIn } from '../../git/git.ts';
import { projectPlace } from '../../git/project.ts';
import { endMarkedProcesses } from '../../process/end-tree.ts';
import { defaultSlots, waitForSlot } from '../../process/slots.ts';
import { locksOf } from '../paths.ts';
import { runSetup } from '../worktree/setup.ts';
import { setupHash } from '../worktree/setup-key.ts';
import type { Plan } from './plan.ts';
import type { Supervision } from './supervision.ts';

const TIMEOUT_MS = 1_800_000;
const GRACE_MS = 500;

export interface SetupPlace {
  /** The commit whose lock files count. */
  readonly commit: string;
  readonly worktree: string;
}

/**
 * Runs the setup if this tree has not had it with the same lock files.
 *
 * @returns the hash of the setup: evidence holds for that setup only. Empty without one.
 * @throws {SetupFailedError}
 */
export async function setUp(
  it: Supervision,
  { settings }: Plan,
  { commit, worktree }: SetupPlace,
): Promise<string> {
  const command = it.lane().spec.setup ?? settings.setup;
  if (command === undefined) return '';
  const definition = { command, keyFiles: settings.setupCache };
  const hash = await setupHash(gitIn(worktree, it.context.env), definition, commit);
  const mark = join(projectPlace(worktree).gitDir ?? worktree, 'lanehold-setup');
  if (readPlainFile(mark) === hash) return hash;

  const { home } = it.context.store;
  const locks = locksOf(home);
  const count = settings.slots.setup ?? defaultSlots().setup;
  const { id: lane, runId, priority } = it.lane();
  const wish = { kind: 'setup', count, priority, owner: it.attemptId } as const;
  const slot = await waitForSlot(locks, wish, it.stopped.signal);
  try {
    const done = await runSetup({
      ...definition,
      worktree,
      env: workerEnvironment(it.context.env, {
        attempt: it.attemptId,
        stage: 'setup',
        lane,
        run: runId,
        worktree,
        home: home.root,
        ports: it.resources.ports(),
      }),
      timeoutMs: TIMEOUT_MS,
      logFile: join(it.attempt().dir, 'setup.log'),
      signal: it.stopped.signal,
      now: it.context.now,
      cache: { folder: join(home.root, 'cache', 'setup'), locks, project: it.run().commonDir },
    });
    if (done.kind !== 'interrupted') writeFileSync(mark, hash, { mode: 0o600 });
    return hash;
  } finally {
    // A later attempt would not have the processes that it leaves, so nothing may depend on them.
    await endMarkedProcesses(it.attemptId, { stages: ['setup'], graceMs: GRACE_MS });
    slot.release();
  }
}
