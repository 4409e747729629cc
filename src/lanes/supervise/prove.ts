/** Runs the validation of a lane on exactly its commit, and ends the attempt by what came of it. */
import { gitIn } from '../../project/git.ts';
import { treeOf } from '../../project/plumbing.ts';
import type { Validation } from '../../store/lane-validations.ts';
import { validateCommit } from '../validation/validate-commit.ts';
import { workerEnvironment } from '../workers/environment.ts';
import { type Ending, finish } from './finish.ts';
import { planOf } from './plan.ts';
import type { Supervision } from './supervision.ts';

export async function prove(it: Supervision): Promise<void> {
  const { store, env } = it.world;
  const attempt = it.attempt();
  const lane = it.lane();
  const sha = attempt.endSha;
  if (sha === null || lane.validateCmd === null) {
    return finish(it, { reason: 'rejected', detail: 'validation: the lane has none' });
  }
  const { settings } = await planOf(it);
  const git = gitIn(attempt.worktree, env);
  const validation = await validateCommit(it.world, {
    run: it.run(),
    subject: 'lane',
    laneId: lane.id,
    attemptId: it.attemptId,
    sha,
    tree: await treeOf(git, sha),
    worktree: attempt.worktree,
    command: {
      cmd: lane.validateCmd,
      cwd: lane.validateCwd,
      timeoutS: lane.validateTimeoutS,
      cmdHash: lane.cmdHash,
    },
    setupHash: lane.setupHash,
    specHash: lane.specHash,
    base: { sha: lane.baseSha ?? it.run().baseSha },
    removesTests: lane.spec.removesTests,
    env: workerEnvironment(env, {
      attempt: it.attemptId,
      stage: 'validate',
      lane: lane.id,
      run: lane.runId,
      worktree: attempt.worktree,
      home: store.home.root,
      ports: it.resources.ports(),
    }),
    dir: attempt.dir,
    priority: lane.priority,
    owner: it.attemptId,
    slots: settings.slots.validate,
    signal: it.stopped.signal,
  });
  it.flag(...validation.flags);
  finish(it, endingOf(validation));
}

function endingOf({ result, why, flags }: Validation): Ending {
  if (result === 'pass') return { reason: 'verified', detail: why };
  if (flags.includes('tests_removed'))
    return { reason: 'rejected', detail: `tests_removed: ${why}` };
  return {
    reason: 'rejected',
    detail: `validation: ${result === 'fail' ? why : `${result}: ${why}`}`,
  };
}
