/** Commits the tree of a lane, and checks that only declared files were changed. */
import { gitIn } from '../../git/git.ts';
import { changedBetween } from '../../git/paths.ts';
import { laneStore } from '../../store/lanes.ts';
import { commitLane } from '../worktree/lane-commit.ts';
import { outsideTouches } from '../worktree/touches.ts';
import type { Taken } from './checkpoint.ts';
import { finish } from './finish.ts';
import { checkMainCheckout } from './main-checkout.ts';
import { planOf } from './plan.ts';
import { setUp } from './set-up.ts';
import type { Supervision } from './supervision.ts';

export async function commitWork(it: Supervision, taken: Taken): Promise<void> {
  const { store, env, now } = it.context;
  const attempt = it.attempt();
  const lane = it.lane();
  const committed = await commitLane({
    git: gitIn(attempt.worktree, env),
    branch: lane.branch,
    startSha: attempt.startSha,
    headBefore: lane.headSha ?? attempt.startSha,
    tree: taken.tree,
    message: messageFor(it),
    author: { name: `lane ${lane.key}`, email: `${lane.key}@lanehold.localhost` },
    now: now(),
  });
  // git hooks do not run for this commit: what they check belongs into the validation.
  it.flag(...committed.flags);
  await checkMainCheckout(it);
  const setupHash = await setUp(it, await planOf(it), {
    commit: committed.sha,
    worktree: attempt.worktree,
  });
  store.write(() => laneStore(store).setHead(lane.id, committed.sha, setupHash));
  const outside = await outsideScope(it, committed.sha);
  if (outside.length > 0) {
    it.note({ endSha: committed.sha });
    return finish(it, { reason: 'rejected', detail: `scope: ${outside.join(', ')}` });
  }
  it.move('validating', { endSha: committed.sha });
}

/** Declared or not: files that the lane itself changed, without those of its dependencies. */
async function outsideScope(it: Supervision, sha: string): Promise<string[]> {
  const lane = it.lane();
  if (lane.spec.touches.length === 0) return [];
  const git = gitIn(it.attempt().worktree, it.context.env);
  const used = laneStore(it.context.store)
    .depsOf(lane.id)
    .flatMap(({ usedSha }) => (usedSha === null ? [] : [usedSha]));
  const bases = [lane.baseSha ?? it.run().baseSha, ...used];
  const changes = await Promise.all(bases.map((base) => changedBetween(git, base, sha)));
  const own = changes.reduce((left, right) => left.filter((path) => right.includes(path)));
  return outsideTouches(own, lane.spec.touches);
}

function messageFor(it: Supervision): string {
  const lane = it.lane();
  const title = lane.spec.desc.split('\n', 1)[0]?.slice(0, 72) ?? lane.key;
  const { agent, n } = it.attempt();
  return `${title}\n\nLane: ${lane.key}\nRun: ${it.run().name}\nAttempt: ${n}${agent === null ? '' : `\nWorker: ${agent}`}\n`;
}
