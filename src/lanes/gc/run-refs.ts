import type { Git } from '../../git/git.ts';
import { deleteRef, isAncestor, refAt, refsBelow, treeOf } from '../../git/plumbing.ts';
import type { LaneView } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { compositionRefs } from '../integration/purpose.ts';
import { gitOfRun, laneBranch } from '../integration/repository.ts';
import { baseRef, checkpointRef, mainCheckoutRef } from '../paths.ts';
import type { Collected, GcWish } from './item.ts';

export async function collectRefs(
  context: LaneContext,
  run: Run,
  lanes: readonly LaneView[],
  wish: GcWish,
): Promise<Collected> {
  const git = gitOfRun(context, run);
  const items: Collected[number][] = [];
  for (const [name, sha] of await refsBelow(git, `refs/lanehold/${run.id}`)) {
    const item = { run: run.name, what: 'ref', name } as const;
    const why =
      wish.refs === 'drop' ? undefined : await reasonToKeep(git, run, lanes, { name, sha });
    if (why !== undefined) {
      items.push({ ...item, why });
      continue;
    }
    if (wish.mode === 'dry-run' || (await deleteRef(git, name, sha)) === 'deleted')
      items.push(item);
    else items.push({ ...item, why: 'it has just moved' });
  }
  return items;
}

/** Why a ref stays: what it keeps is nowhere else. */
async function reasonToKeep(
  git: Git,
  run: Run,
  lanes: readonly LaneView[],
  { name, sha }: { readonly name: string; readonly sha: string },
): Promise<string | undefined> {
  if (name === run.integrationRef) {
    const target = await refAt(git, run.targetRef);
    const landed = target !== undefined && (await isAncestor(git, sha, target));
    return landed ? undefined : `it has not landed on ${run.targetRef}`;
  }
  // These are merges of what branches and checkpoints hold.
  if (name.startsWith(compositionRefs(run))) return undefined;
  if (lanes.some(({ key }) => baseRef(run, key) === name)) return undefined;
  if (lanes.some(({ key }) => mainCheckoutRef(run, key) === name)) {
    return 'it has what was changed in the main checkout; `--drop` gives it up';
  }
  const lane = lanes.find(({ key }) => checkpointRef(run, key) === name);
  if (lane === undefined) return 'it belongs to no lane';
  if (lane.state === 'landed') return undefined;
  const tip = await refAt(git, laneBranch(lane));
  const same = tip !== undefined && (await treeOf(git, tip)) === (await treeOf(git, sha));
  return same ? undefined : 'its branch has not got all of it; `--drop` gives it up';
}
