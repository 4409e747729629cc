/**
 * Moves the target branch to the tip of the integration: only forward, only to what was validated,
 * and in a checkout only if no local change is in the way.
 */
import { existsSync } from 'node:fs';
import { actorOf } from '../../agents/actor.ts';
import type { Git } from '../../base/git/git.ts';
import { commitMerge, fastForward } from '../../base/git/merge.ts';
import { isAncestor, mergeTrees, moveRef, refAt, treeOf } from '../../base/git/plumbing.ts';
import { listWorktrees, rebasedBranch } from '../../base/git/worktrees.ts';
import { enumerated, plural, shortRef } from '../../base/text/printable.ts';
import { removeKeptTrees } from '../../checkout/kept-tree.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { laneStore, type Run } from '../../store/lanes.ts';
import { integratedIn, isTipValidated } from '../fit/validate-merge.ts';
import type { LaneSettings } from '../settings/settings.ts';
import { gitOfRun, type LaneContext } from '../spec/context.ts';
import { closeIfDone, leftOf, move, NEW_RUN } from '../spec/edit.ts';
import { isToBeLookedAt } from '../spec/flags.ts';
import { validationTrees } from '../spec/paths.ts';
import { goneWords, noteTarget, takenOut, targetGone } from '../stand/taken-out.ts';
import { moveTip, strayWords, tipOf } from '../stand/tip.ts';
import { scratchTree } from '../tree/scratch-tree.ts';
import { signed } from '../tree/sign.ts';
import { inLine } from './linear.ts';
import { noteTakenBack } from './taken-back.ts';

export type LandReport = Landed | Held;
type Landed = ReturnType<typeof noteLanded>;
type Held = ReturnType<typeof held>;

/** The form of the lanes' commits: all with their merges, one for each lane, or all in a line. */
export type LandWay = Exclude<LaneSettings['land'], 'pr'>;

export async function land(
  context: LaneContext,
  run: Run,
  way: LandWay = 'merge',
): Promise<LandReport> {
  const lock = scratchTree(context.store.home, 'integration', run).take();
  if (lock === undefined) {
    return held(run, 'busy', 'an integration of this run is under way', 'wait for it to end');
  }
  try {
    const report = await landLocked(context, run, way);
    if (report.verdict === 'landed' && report.closed) {
      await removeKeptTrees(gitOfRun(context, run), validationTrees(context.store.home, run));
    }
    return report;
  } finally {
    lock.release();
  }
}

async function landLocked(context: LaneContext, run: Run, way: LandWay): Promise<LandReport> {
  const git = gitOfRun(context, run);
  await noteTakenBack(context, run);
  const integrate = `\`lanehold orchestrate integrate --run ${run.name}\``;
  const { tip, stray } = await tipOf(context, run, git);
  if (stray) {
    const why = await strayWords(git, run, stray[0]);
    return held(run, 'unproved', why, `${integrate} moves it back; then land`);
  }
  const waiting = tip === undefined ? [] : await integratedIn(context, run, tip);
  if (tip === undefined || waiting.length === 0) {
    const lanes = laneStore(context.store).ofRun(run.id);
    if (leftOf(context, run).length === 0 && lanes.some(({ state }) => state === 'landed')) {
      // A person may have opened the run again without adding lanes.
      closeIfDone(context, run, actorOf(context).name);
      return held(run, 'nothing', `run ${run.name} has no lane left to land`, NEW_RUN);
    }
    return held(run, 'nothing', 'no lane is integrated that has not landed', `run ${integrate}`);
  }
  const from = await refAt(git, run.targetRef);
  const name = shortRef(run.targetRef);
  if (from === undefined) {
    const { why, hint } = await targetGone(context, run, git);
    return held(run, 'gone', why, hint);
  }
  noteTarget(context, run, from);
  if (await hasAllOf(git, from, tip)) {
    await joinTarget(context, git, run, tip, from);
    return noteLanded(context, run, waiting, { from, to: from, way: null });
  }
  const gone = await (await takenOut(context, run, git))(tip);
  if (gone.length > 0) {
    const why = `it would bring back ${await goneWords(git, run, gone)}`;
    return held(run, 'rewritten', why, `${integrate} leaves it out; then land`);
  }
  if (!(await isAncestor(git, from, tip))) {
    const ahead = (await git.text(['rev-list', '--count', `${tip}..${from}`])).trim();
    const why = `${name} has ${plural(Number(ahead), 'commit')} that the integration has not`;
    return held(run, 'moved', why, `${integrate} merges and validates them; then land`);
  }
  if (!isTipValidated(context, run, tip)) {
    const why = 'the tip of the integration is not what was validated';
    return held(run, 'unproved', why, `${integrate} validates it`);
  }
  const lanes = waiting.map(({ lane, row }) => ({ lane, sha: row.laneSha }));
  const to = way === 'merge' ? tip : await inLine({ context, git, run, way, from, tip, lanes });
  const stopped = await forward(context, git, run, { from, to });
  if (stopped !== undefined) return stopped;
  await joinTarget(context, git, run, tip, to);
  return noteLanded(context, run, waiting, { from, to, way });
}

/**
 * Makes the integration contain a branch with the same content in other commits. Lanes that started from the old
 * commits, and later changes of the branch, are then merged as if only one of them existed.
 */
async function joinTarget(
  context: LaneContext,
  git: Git,
  run: Run,
  ...[tip, target]: readonly [string, string]
): Promise<void> {
  const tree = await treeOf(git, tip);
  if ((await isAncestor(git, target, tip)) || (await treeOf(git, target)) !== tree) return;
  const message = `Merge ${shortRef(run.targetRef)} into ${run.name}`;
  const made = await commitMerge(git, tree, { ours: tip, theirs: target, message });
  const joined = await signed(git, made);
  const reason = `lanehold: landed ${run.name}`;
  await moveTip(context, run, git, { to: joined, from: tip, reason });
}

/** Whether the target has the content, even squashed or cherry-picked. */
export async function hasAllOf(git: Git, target: string, tip: string): Promise<boolean> {
  if (await isAncestor(git, tip, target)) return true;
  if ((await git.maybe(['merge-base', target, tip])) === undefined) return false;
  const { tree, conflicts } = await mergeTrees(git, target, tip);
  return conflicts.length === 0 && tree === (await treeOf(git, target));
}

async function forward(
  { env }: LaneContext,
  git: Git,
  run: Run,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Held | undefined> {
  const name = shortRef(run.targetRef);
  const trees = (await listWorktrees(git)).filter(({ path }) => existsSync(path));
  const again = 'then land again';
  const rebasing = trees.find(({ path }) => rebasedBranch(path) === run.targetRef);
  if (rebasing !== undefined) {
    const hint = `finish or abort it, ${again}`;
    return held(run, 'checked-out', `${name} is being rebased in ${rebasing.path}`, hint);
  }
  const [tree, second] = trees.filter(({ branch }) => branch === run.targetRef);
  if (tree === undefined) {
    const moved = await moveRef(git, run.targetRef, to, from, `lanehold: land ${run.name}`);
    if (moved === 'moved') return undefined;
    return held(run, 'moved', `${name} was moved just now`, 'land again');
  }
  if (second !== undefined) {
    const why = `${name} is checked out in ${tree.path} and in ${second.path}`;
    return held(run, 'checked-out', why, `switch one of them to another branch, ${again}`);
  }
  const outcome = await fastForward(tree.path, to, env);
  if (outcome.kind === 'moved') return undefined;
  if (outcome.files.length === 0) {
    const hint = `see \`git status\` there, ${again}`;
    return held(run, 'checked-out', `git refuses in ${tree.path}: ${outcome.why}`, hint);
  }
  const why = `${enumerated(outcome.files, 5)} in ${tree.path} would be overwritten`;
  const hint = `commit ${outcome.files.length === 1 ? 'it or move it' : 'them or move them'} away, ${again}`;
  return held(run, 'dirty', why, hint, outcome.files);
}

function noteLanded(
  context: LaneContext,
  run: Run,
  waiting: Awaited<ReturnType<typeof integratedIn>>,
  // Without a way, it was already on the branch.
  { from, to, way }: { readonly from: string; readonly to: string; readonly way: LandWay | null },
) {
  const { store, now } = context;
  const by = actorOf(context).name;
  const target = run.targetRef;
  for (const { row } of waiting)
    move(context, row, 'landed', { landedAs: to }, { sha: to, target });
  const lanes = waiting.map(({ lane }) => lane.key);
  const data = { from, to, target, lanes, way };
  noteTarget(context, run, to);
  store.write(() => {
    laneEventStore(store).add({ runId: run.id, type: 'run.landed', data, by }, now());
  });
  const closed = closeIfDone(context, run, by);
  // Lanes that have not landed yet; without any, the run is closed.
  const left = leftOf(context, run).map((lane) => {
    return { lane: lane.key, state: lane.state, isStopped: isToBeLookedAt(store, lane) };
  });
  return { verdict: 'landed' as const, run: run.name, ...data, left, closed };
}

type Reason =
  | ('nothing' | 'busy' | 'gone' | 'moved' | 'rewritten')
  | ('unproved' | 'dirty' | 'checked-out');

/** @param why a clause. @param hint says what to do. */
function held(run: Run, reason: Reason, why: string, hint: string, files: readonly string[] = []) {
  const target = run.targetRef;
  return { verdict: 'held' as const, run: run.name, target, reason, why, hint, files };
}
