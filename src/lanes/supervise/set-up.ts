/** Runs the setup of a lane's tree, or takes its result from the cache. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setupHash } from '../../checkout/setup.ts';
import { readPlainFile } from '../../files/plain-file.ts';
import { gitIn } from '../../git/git.ts';
import { projectPlace } from '../../git/project.ts';
import { endMarkedProcesses } from '../../process/end-tree.ts';
import { laneSetups, setUpInSlot } from '../worktree/setup.ts';
import type { Plan } from './plan.ts';
import { placeOf, type Supervision } from './supervision.ts';

const GRACE_MS = 500;

/**
 * Runs the setup if this tree has not had it with the same lock files.
 *
 * @param commit the commit whose lock files count.
 * @returns the hash of the setup: evidence holds for that setup only. Empty without one.
 * @throws {SetupFailedError}
 */
export async function setUp(
  it: Supervision,
  { settings }: Plan,
  { commit, worktree }: { readonly commit: string; readonly worktree: string },
): Promise<string> {
  const { env } = it.context;
  const { spec, validateCwd: cwd } = it.lane();
  const wanted = { ...settings, setup: spec.setup ?? settings.setup };
  const setups = await laneSetups({ worktree, commit, cwd }, it.run(), wanted, env);
  if (setups.length === 0) return '';
  const hash = await setupHash(gitIn(worktree, env), setups, commit);
  const mark = join(projectPlace(worktree).gitDir ?? worktree, 'lanehold-setup');
  if (readPlainFile(mark) === hash) return hash;

  const done = await setUpInSlot(
    it.context,
    {
      ...{ run: it.run(), setups, settings, place: placeOf(it, worktree) },
      ...{ dir: it.attempt().dir, signal: it.stopped.signal, priority: it.lane().priority },
    },
    // A later attempt would not have the processes that it leaves, so nothing may depend on them.
    () => endMarkedProcesses(it.attemptId, { stages: ['setup'], graceMs: GRACE_MS }),
  );
  if (done) writeFileSync(mark, hash, { mode: 0o600 });
  return hash;
}
