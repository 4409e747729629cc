/**
 * Checkouts in which validations run: exactly the files of a commit, the ignored ones that
 * `.worktreeinclude` names, and the dependencies. Nothing of a worker's tree, nothing of an earlier run.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type AttemptPlace, workerEnvironment } from '../../agents/worker/environment.ts';
import { movedEnvironment, withNewVenv } from '../../checkout/checkout.ts';
import { copyIncluded } from '../../checkout/include.ts';
import { setupHash } from '../../checkout/setup.ts';
import { withTemporaryTree } from '../../checkout/temporary-tree.ts';
import { definedOnly } from '../../environment.ts';
import { gitIn } from '../../git/git.ts';
import { endMarkedProcesses } from '../../process/end-tree.ts';
import type { Validation } from '../../store/lane-validations.ts';
import type { Run } from '../../store/runs.ts';
import { laneSetups, setUpInSlot } from '../checkout/setup.ts';
import type { LaneContext } from '../model/context.ts';
import type { LaneSettings } from '../workers/settings.ts';

export interface CleanTreeWish {
  readonly run: Run;
  /** Of its folder, for people and programs that look at it. */
  readonly name: string;
  /** Absolute folder, used by nobody else meanwhile: for the tree and for logs. */
  readonly dir: string;
  readonly place: Omit<AttemptPlace, 'stage' | 'worktree'>;
  readonly settings: LaneSettings;
  /** The lane's own setup command, in place of the project's. */
  readonly setup: string | undefined;
  /** Where it will run, relative to the root. */
  readonly command: Pick<Validation, 'cwd'>;
  readonly priority: number;
  readonly signal: AbortSignal;
}

interface CleanTree {
  readonly root: string;
  readonly env: Record<string, string>;
  /** The hash of its setup. */
  readonly setupHash: string;
}

/** Long enough for a large tree, and for filters that download content. */
const CHECKOUT_MS = 900_000;
const GRACE_MS = 500;
const PREFIX = 'tree-';

/** @throws {SetupFailedError}, or if it is aborted. */
export async function inCleanTree<T>(
  context: LaneContext,
  wish: CleanTreeWish,
  sha: string,
  work: (tree: CleanTree) => Promise<T>,
): Promise<T> {
  const { run, dir, settings, priority, signal } = wish;
  const { cwd } = wish.command;
  const { env } = context;
  removeLeftovers(dir);
  const git = gitIn(run.repository, env, { network: true, timeoutMs: CHECKOUT_MS });
  const tree = { oid: sha, around: join(dir, PREFIX), name: wish.name };
  return withTemporaryTree(git, tree, async (root) => {
    const place = { ...wish.place, worktree: root };
    const hasCheckout = run.repository !== run.commonDir;
    if (hasCheckout) await copyIncluded(run.repository, root, env);
    const wanted = { ...settings, setup: wish.setup ?? settings.setup };
    const setups = await laneSetups({ worktree: root, commit: sha, cwd }, run, wanted, env);
    // Nothing may depend on processes that a setup leaves: nobody else would have them.
    const endStrays = (stage: 'setup' | 'validate') =>
      endMarkedProcesses(place.attempt, { stages: [stage], graceMs: GRACE_MS });
    const slot = { run, setups, settings, place, dir, priority, signal };
    await setUpInSlot(context, slot, () => endStrays('setup'));
    signal.throwIfAborted();
    const own = workerEnvironment(env, { ...place, stage: 'validate' });
    const moved = hasCheckout ? movedEnvironment(own, run.repository, root) : own;
    try {
      return await work({
        root,
        env: definedOnly(withNewVenv(moved, setups, run.repository, root)),
        setupHash: await setupHash(git, setups, sha),
      });
    } finally {
      // A server left running would answer the next run on the same port.
      await endStrays('validate');
    }
  });
}

/** Of a validation that was killed; git forgets such trees by itself. */
function removeLeftovers(dir: string): void {
  for (const name of readdirSync(dir).filter((it) => it.startsWith(PREFIX))) {
    rmSync(join(dir, name), { recursive: true, force: true });
  }
}
