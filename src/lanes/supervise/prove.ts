/** Runs the validation of a lane on exactly its commit, and ends the attempt by its result. */
import { workerEnvironment } from '../../agents/worker/environment.ts';
import { isDeniedPath } from '../../files/denied-paths.ts';
import { type Git, gitIn, UNATTENDED } from '../../git/git.ts';
import { treeOf } from '../../git/plumbing.ts';
import { readStatus } from '../../git/repository-snapshot.ts';
import type { Validation } from '../../store/lane-validations.ts';
import { laneStore } from '../../store/lanes.ts';
import { judgedSpecHash } from '../spec.ts';
import { TESTS_REMOVED, validateCommit } from '../validation/validate-commit.ts';
import { lostTree } from './checkpoint.ts';
import { type Ending, finish } from './finish.ts';
import { planOf } from './plan.ts';
import { setUp } from './set-up.ts';
import { placeOf, type Supervision } from './supervision.ts';

export async function prove(it: Supervision): Promise<void> {
  const { store, env } = it.context;
  const attempt = it.attempt();
  const lane = it.lane();
  const sha = attempt.endSha;
  if (sha === null || lane.validateCmd === null) {
    return finish(it, { reason: 'rejected', detail: 'validation: the lane has none' });
  }
  const gone = lostTree(it);
  if (gone !== undefined) return finish(it, { reason: 'lost', detail: gone });
  const plan = await planOf(it);
  const git = gitIn(attempt.worktree, env);
  if (it.epoch > 1 && !lane.adopted) await undoTracked(git, sha);
  const { validateCmd: cmd, validateCwd: cwd, validateTimeoutS: timeoutS, cmdHash } = lane;
  const { worktree, dir } = attempt;
  const { setupHash, priority } = lane;
  const validation = await validateCommit(it.context, {
    ...{ run: it.run(), subject: 'lane', laneId: lane.id, attemptId: it.attemptId },
    ...{ sha, tree: await treeOf(git, sha), worktree, setupHash, dir, priority },
    command: { cmd, cwd, timeoutS, cmdHash },
    specHash: judgedSpecHash(attempt.specHash, lane.spec, laneStore(store).specs(lane.id)),
    base: { sha: lane.baseSha ?? it.run().baseSha },
    removesTests: lane.spec.removesTests,
    env: workerEnvironment(env, { ...placeOf(it), stage: 'validate' }),
    owner: it.attemptId,
    slots: plan.settings.slots.validate,
    prepareTree: async (root, commit) => void (await setUp(it, plan, { commit, worktree: root })),
    signal: it.stopped.signal,
  });
  it.flag(...validation.flags);
  const lost = validation.result === 'pass' ? undefined : lostTree(it);
  finish(it, lost === undefined ? endingOf(validation) : { reason: 'lost', detail: lost });
}

/** Restores tracked files that a killed validation may have changed. */
async function undoTracked(git: Git, sha: string): Promise<void> {
  const { changes } = await readStatus(git);
  const paths = changes
    .filter((change) => !change.untracked && change.submodule === undefined)
    .map(({ path }) => path)
    .filter((path) => !isDeniedPath(path));
  if (paths.length === 0) return;
  const from = ['--pathspec-from-file=-', '--pathspec-file-nul'];
  const args = [...UNATTENDED, '--literal-pathspecs', 'checkout', '--quiet', '--force', sha];
  await git.text([...args, ...from], paths.map((path) => `${path}\0`).join(''));
}

/** A validation that could not be run is no verdict on the work. */
function endingOf({ result, why, flags }: Validation): Ending {
  switch (result) {
    case 'pass':
      return { reason: 'verified', detail: why };
    case 'error':
      return { reason: 'crashed', detail: `validation: ${why}` };
    case 'timeout':
      return { reason: 'timeout', detail: `validation: ${why}` };
    case 'flaky':
      return { reason: 'rejected', detail: `validation: flaky: ${why}` };
    case 'fail': {
      const rule = flags.includes(TESTS_REMOVED) ? 'tests_removed' : 'validation';
      return { reason: 'rejected', detail: `${rule}: ${why}` };
    }
  }
}
