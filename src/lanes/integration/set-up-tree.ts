/** Runs the setup of a working tree in a slot, so that validations can run in it. */
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
import { runSetup, type SetupRun } from '../worktree/setup.ts';
import { setupHash } from '../worktree/setup-key.ts';

export interface TreeSetup {
  readonly run: Run;
  /** The lane's own, else the project's; `undefined`: there is nothing to set up. */
  readonly command: string | undefined;
  readonly settings: LaneSettings;
  readonly place: Omit<AttemptPlace, 'stage'>;
  /** The folder of logs. */
  readonly dir: string;
  readonly signal: AbortSignal;
}

/** Long enough to download dependencies, and to compile them. */
const TIMEOUT_MS = 1_800_000;

/** For a scratch tree: also copies the included files. */
export async function setUpTree(context: LaneContext, setup: TreeSetup): Promise<void> {
  const { run, command, place, dir, signal } = setup;
  const { env } = context;
  if (run.repository !== run.commonDir) await copyIncluded(run.repository, place.worktree, env);
  if (command === undefined) return;
  makePrivateFolder(dir);
  await setUpInSlot(context, { ...setup, command, priority: 0 });
  signal.throwIfAborted();
}

/**
 * Runs a setup command as soon as a slot is free, or takes its result from the cache.
 *
 * @param atEnd runs before the slot is released.
 * @throws {SetupFailedError}
 */
export async function setUpInSlot(
  { store, env, now }: LaneContext,
  setup: TreeSetup & { readonly command: string; readonly priority: number },
  atEnd: () => Promise<unknown> = async () => undefined,
): Promise<SetupRun> {
  const { run, command, settings, place, dir, signal, priority } = setup;
  const locks = locksOf(store.home);
  const count = settings.slots.setup ?? defaultSlots().setup;
  const slot = await waitForSlot(
    locks,
    { kind: 'setup', count, priority, owner: place.attempt },
    signal,
  );
  try {
    return await runSetup({
      command,
      keyFiles: settings.setupCache,
      worktree: place.worktree,
      env: workerEnvironment(env, { ...place, stage: 'setup' }),
      timeoutMs: TIMEOUT_MS,
      logFile: join(dir, 'setup.log'),
      signal,
      now,
      cache: { folder: join(store.home.root, 'cache', 'setup'), locks, project: run.commonDir },
    });
  } finally {
    await atEnd();
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
