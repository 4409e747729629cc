/**
 * Merges the tip into a lane that was refused, before its next worker starts: it works on what its work has
 * to fit, and nothing of the history is lost. Where git cannot merge them, the files have git's markers.
 */
import { actorOf } from '../../agents/actor.ts';
import type { Git } from '../../git/git.ts';
import { splitNul } from '../../git/paths.ts';
import { isAncestor, mergeTrees, refAt } from '../../git/plumbing.ts';
import { type Lane, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import { addLaneEvent, type LaneContext } from '../model/context.ts';
import { checkedOutTree } from './dependencies.ts';
import { commitMerge, fastForward } from './merge.ts';
import { lastRefusal } from './refusal.ts';
import { gitOfRun, laneBranch } from './repository.ts';

/**
 * Nothing if the tip is in it already.
 *
 * @param commit for what is changed in the lane's tree, so that the merge is of all that is there.
 * @returns why it is not merged, as a clause.
 */
export async function mergeTip(
  context: LaneContext,
  run: Run,
  { id }: Pick<Lane, 'id'>,
  commit: () => Promise<void>,
): Promise<string | undefined> {
  const { store } = context;
  const before = laneStore(store).byId(id);
  if (before?.headSha == null || lastRefusal(context, run, before) === undefined) return undefined;
  const git = gitOfRun(context, run);
  const tip = await refAt(git, run.integrationRef);
  if (tip === undefined || (await isAncestor(git, tip, before.headSha))) return undefined;
  const tree = await checkedOutTree(context, before);
  if (tree === undefined) return `${before.branch} is not checked out in the lane's tree`;
  if (tree.dirty.length > 0) await commit();
  const lane = laneStore(store).byId(id);
  if (lane?.headSha == null) return undefined;
  const message = `Merge what is integrated into lane ${lane.key}`;
  const sides = { ours: lane.headSha, theirs: tip, message };
  const { tree: merged, conflicts } = await mergeTrees(git, sides.ours, sides.theirs);
  const sha = await commitMerge(git, merged, sides);
  const at = await refAt(git, laneBranch(lane));
  // It is there already if a supervisor was killed before it noted it; other commits are the worker's.
  if (at !== lane.headSha && at !== sha) return `${lane.branch} is not where lanehold left it`;
  const moved = await fastForward(tree.path, sha, context.env);
  if (moved.kind === 'blocked') return [moved.why, ...moved.files].join(' ');
  store.write(() => {
    const lanes = laneStore(store);
    lanes.setHead(id, sha, lane.setupHash);
    // What the lane changes, and what has to pass, is compared with the tip from now on.
    lanes.setBase(id, tip);
    const data = { sha, tip, conflicts };
    addLaneEvent(context, lane, { type: 'lane.restacked', data, by: actorOf(context).name });
  });
  return undefined;
}

/** Files of a lane's commit in which markers of that merge are left. */
export async function leftMarkers(
  context: LaneContext,
  run: Run,
  lane: Pick<Lane, 'id'>,
  sha: string,
): Promise<readonly string[]> {
  const refused = lastRefusal(context, run, lane)?.row.laneSha;
  if (refused === undefined) return [];
  const git = gitOfRun(context, run);
  const [ours, theirs] = await tipMerge(git, refused, sha);
  if (ours === undefined || theirs === undefined) return [];
  const { conflicts } = await mergeTrees(git, ours, theirs);
  if (conflicts.length === 0) return [];
  const markers = ['-e', `<<<<<<< ${ours}`, '-e', `>>>>>>> ${theirs}`];
  const args = ['--literal-pathspecs', 'grep', '-lzF', ...markers, sha, '--', ...conflicts];
  const found = splitNul((await git.maybe(args, [1])) ?? '');
  return found.map((it) => it.slice(sha.length + 1));
}

/** The sides of the last merge of the lane since it was refused. */
async function tipMerge(git: Git, refused: string, sha: string): Promise<string[]> {
  const range = [`${refused}..${sha}`, '--'];
  const args = ['rev-list', '--first-parent', '--merges', '--parents', '-1', ...range];
  return (await git.text(args)).trim().split(' ').slice(1, 3);
}
