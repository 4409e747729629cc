/** Commits the tree of a lane, and checks that only declared files were changed. */

import { join } from 'node:path';
import { readPlainFile } from '../../files/plain-file.ts';
import { gitIn } from '../../git/git.ts';
import { changedBetween } from '../../git/paths.ts';
import { laneStore } from '../../store/lanes.ts';
import { runStore } from '../../store/runs.ts';
import { authorOf, commitLane } from '../checkout/lane-commit.ts';
import { checkoutPrint, saveDiff } from '../checkout/main-checkout.ts';
import { outsideTouches } from '../checkout/touches.ts';
import { leftMarkers } from '../merge-queue/dependants.ts';
import { flagText } from '../model/flags.ts';
import { mainCheckoutRef } from '../model/paths.ts';
import type { Taken } from './checkpoint.ts';
import { finish } from './finish.ts';
import { planOf } from './plan.ts';
import { probeLast } from './probe.ts';
import { setupOf } from './set-up.ts';
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
    author: authorOf(lane),
    now: now(),
  });
  // git hooks do not run for this commit: what they check belongs into the validation.
  it.flag(...committed.flags);
  if (it.planted.length > 0) it.flag(flagText('git-settings', it.planted));
  await checkMainCheckout(it);
  const { sha: endSha } = committed;
  const { worktree } = attempt;
  const { hash: setupHash } = await setupOf(it, await planOf(it), { commit: endSha, worktree });
  store.write(() => laneStore(store).setHead(lane.id, endSha, setupHash));
  const marked = await leftMarkers(it.context, it.run(), lane, endSha);
  if (marked.length > 0) {
    it.note({ endSha });
    const detail = `markers of the merge are left in ${marked.join(', ')}`;
    return finish(it, { reason: 'rejected', cause: 'validation', detail });
  }
  await probeLast(it, taken.sha);
  const outside = await outsideScope(it, endSha);
  if (outside.length === 0) return it.move('validating', { endSha });
  it.note({ endSha });
  finish(it, { reason: 'rejected', cause: 'scope', detail: outside.join(', ') });
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

/**
 * The worker and the user are indistinguishable here, so the run is paused until a person has looked.
 * A checkout with another commit is the user at work, and is only flagged.
 */
async function checkMainCheckout(it: Supervision): Promise<void> {
  const before = readPlainFile(join(it.attempt().dir, 'main-checkout'));
  if (before === undefined) return;
  const { store, env, now } = it.context;
  const run = it.run();
  const after = await checkoutPrint(run.repository, env);
  if (after === before) return;
  const lane = it.lane();
  const ref = mainCheckoutRef(run, lane.key);
  const indexFile = join(it.attempt().dir, 'main.index');
  const sha = await saveDiff(run.repository, { ref, env, indexFile, now: now() });
  it.flag('main-checkout-changed');
  // A print begins with the checked-out commit.
  if (before.split('\n', 1)[0] !== after.split('\n', 1)[0]) return;
  const reason = `the main checkout was changed while lane ${lane.key} worked; it is kept as ${ref}`;
  store.write(() => runStore(store).setIntent(run.id, 'paused', reason));
  it.event('run.paused', { reason, sha });
}
