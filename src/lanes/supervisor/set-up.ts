/** Runs the setup of a lane's tree, or takes its result from the cache. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setupHash } from '../../checkout/setup.ts';
import { readPlainFile } from '../../files/plain-file.ts';
import { gitIn } from '../../git/git.ts';
import { projectPlace } from '../../git/project.ts';
import { endMarkedProcesses } from '../../process/end-tree.ts';
import { laneSetups, setUpInSlot } from '../checkout/setup.ts';
import type { Plan } from './plan.ts';
import { placeOf, type Supervision } from './supervision.ts';

const GRACE_MS = 500;

interface TreeSetUp {
  /** The commit whose lock files count. */
  readonly commit: string;
  readonly worktree: string;
}

/**
 * Runs the setup of the worker's tree, unless it has had it with the same lock files.
 *
 * @throws {SetupFailedError}
 */
export async function setUp(it: Supervision, plan: Plan, tree: TreeSetUp): Promise<void> {
  const { worktree } = tree;
  const { setups, hash } = await setupOf(it, plan, tree);
  const mark = join(projectPlace(worktree).gitDir ?? worktree, 'lanehold-setup');
  if (setups.length === 0 || readPlainFile(mark) === hash) return;
  const { dir } = it.attempt();
  const { priority } = it.lane();
  const { settings } = plan;
  const done = await setUpInSlot(
    it.context,
    {
      ...{ run: it.run(), setups, settings, place: placeOf(it, worktree) },
      ...{ dir, signal: it.stopped.signal, priority },
    },
    // A later attempt would not have the processes that it leaves, so nothing may depend on them.
    () => endMarkedProcesses(it.attemptId, { stages: ['setup'], graceMs: GRACE_MS }),
  );
  if (done) writeFileSync(mark, hash, { mode: 0o600 });
}

/** The hash says what evidence holds for; empty without a setup. */
export async function setupOf(it: Supervision, { settings }: Plan, tree: TreeSetUp) {
  const { env } = it.context;
  const { spec, validateCwd: cwd } = it.lane();
  const wanted = { ...settings, setup: spec.setup ?? settings.setup };
  const setups = await laneSetups({ ...tree, cwd }, it.run(), wanted, env);
  return { setups, hash: await setupHash(gitIn(tree.worktree, env), setups, tree.commit) };
}
