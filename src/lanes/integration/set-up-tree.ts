/** Sets up a scratch tree, so that the validations of lanes can run in it. */
import { join } from 'node:path';
import { type AttemptPlace, workerEnvironment } from '../../agents/worker/environment.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { gitIn } from '../../git/git.ts';
import { defaultSlots, waitForSlot } from '../../process/slots.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { locksOf } from '../paths.ts';
import type { LaneSettings } from '../workers/settings.ts';
import { copyIncluded } from '../worktree/include.ts';
import { runSetup } from '../worktree/setup.ts';
import { setupHash } from '../worktree/setup-key.ts';

export interface TreeSetup {
  readonly run: Run;
  /** The lane's own, else the project's; `undefined`: there is nothing to set up. */
  readonly command: string | undefined;
  readonly settings: LaneSettings;
  readonly place: Omit<AttemptPlace, 'stage'>;
  /** For logs. */
  readonly dir: string;
  readonly signal: AbortSignal;
}

/** Long enough to download dependencies, and to compile them. */
const TIMEOUT_MS = 1_800_000;

export async function setUpTree(context: LaneContext, setup: TreeSetup): Promise<void> {
  const { run, command, settings, place, dir, signal } = setup;
  const { store, env, now } = context;
  const { worktree } = place;
  if (run.repository !== run.commonDir) await copyIncluded(run.repository, worktree, env);
  if (command === undefined) return;
  const locks = locksOf(store.home);
  const count = settings.slots.setup ?? defaultSlots().setup;
  const wish = { kind: 'setup', count, priority: 0, owner: place.attempt } as const;
  const slot = await waitForSlot(locks, wish, signal);
  try {
    makePrivateFolder(dir);
    await runSetup({
      command,
      keyFiles: settings.setupCache,
      worktree,
      env: workerEnvironment(env, { ...place, stage: 'setup' }),
      timeoutMs: TIMEOUT_MS,
      logFile: join(dir, 'setup.log'),
      signal,
      now,
      cache: {
        folder: join(store.home.root, 'cache', 'setup'),
        locks,
        project: run.commonDir,
      },
    });
    signal.throwIfAborted();
  } finally {
    slot.release();
  }
}

/** The hash of the setup, which a validation depends on besides the commit. Empty without a setup. */
export async function setupOf(
  { env }: LaneContext,
  { run, command, settings }: Pick<TreeSetup, 'run' | 'command' | 'settings'>,
  sha: string,
): Promise<string> {
  if (command === undefined) return '';
  return setupHash(gitIn(run.repository, env), { command, keyFiles: settings.setupCache }, sha);
}
