/**
 * Removes what finished runs have left behind: worktrees, lanehold's own refs, the output of attempts.
 * Only what is preserved elsewhere is removed; branches and evidence always stay.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError } from '../../errors.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import type { Git } from '../../git/git.ts';
import { deleteRef, isAncestor, refAt, refsBelow, treeOf } from '../../git/plumbing.ts';
import { attemptStore, isLive } from '../../store/attempts.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { compositionRefs } from '../integration/purpose.ts';
import { gitOfRun, laneBranch, placeOfRun } from '../integration/repository.ts';
import { addLaneEvent } from '../lane-event.ts';
import { baseRef, checkpointRef, locksOf, mainCheckoutRef, worktreesRoot } from '../paths.ts';
import { settingsFor } from '../settings-for.ts';
import { removeWorktree } from '../worktree/remove.ts';
import {
  type Collected,
  collectAttempts,
  collectPurposes,
  type GcItem,
  type GcWish,
} from './outputs.ts';

export interface GcReport {
  readonly removed: readonly GcItem[];
  readonly kept: readonly GcItem[];
}

export async function collectRun(context: LaneContext, run: Run, wish: GcWish): Promise<GcReport> {
  const lanes = laneStore(context.store).ofRun(run.id);
  const hindrance = reasonToKeepAll(context, run, lanes, wish);
  if (hindrance !== undefined) {
    const trees = lanes.flatMap(({ worktree }) => worktree ?? []);
    return {
      removed: [],
      kept: trees.map((name) => ({ run: run.name, what: 'worktree', name, why: hindrance })),
    };
  }
  const items: GcItem[] = [];
  // Worktrees first: their content may be kept by nothing but a ref that is removed below.
  for (const lane of lanes) items.push(...(await collectWorktree(context, run, lane, wish)));
  items.push(...(await collectPurposes(context, run, wish)));
  items.push(...(await collectRefs(context, run, lanes, wish)));
  items.push(...collectAttempts(context, run, lanes, wish));
  return {
    removed: items.filter(({ why }) => why === undefined),
    kept: items.filter(({ why }) => why !== undefined),
  };
}

function reasonToKeepAll(
  { store }: LaneContext,
  run: Run,
  lanes: readonly LaneView[],
  { refs }: GcWish,
): string | undefined {
  if (!existsSync(run.commonDir)) return 'the repository is not where it was';
  const attempts = attemptStore(store);
  const busy = lanes.find(({ id }) => attempts.ofLane(id).some(isLive));
  if (busy !== undefined) return `lane ${busy.key} is at work`;
  const over = run.intent === 'cancelled' || run.intent === 'closed';
  const landed = lanes.length > 0 && lanes.every(({ state }) => OVER.has(state));
  if (over || landed || refs === 'drop') return undefined;
  return `the run is ${run.intent}`;
}

const OVER: ReadonlySet<string> = new Set(['landed', 'cancelled']);

async function collectWorktree(
  context: LaneContext,
  run: Run,
  lane: LaneView,
  { mode }: GcWish,
): Promise<Collected> {
  const path = lane.worktree;
  if (path === null) return [];
  const item = { run: run.name, what: 'worktree', name: path } as const;
  if (lane.adopted) return [{ ...item, why: 'lanehold did not make it' }];
  if (mode === 'dry-run') return [item];
  const done = await remove(context, run, lane, path).catch(whyNot);
  if ('kept' in done) return [{ ...item, why: done.kept }];
  const { store } = context;
  store.write(() => {
    laneStore(store).setWorktree(lane.id, null);
    addLaneEvent(context, lane, { type: 'worktree.removed', data: { path }, by: 'gc' });
  });
  return [item];
}

/** A worktree that cannot be removed does not keep the others from being removed. */
function whyNot(error: unknown): { readonly kept: string } {
  if (error instanceof ExplainedError) return { kept: error.message };
  throw error;
}

async function remove(context: LaneContext, run: Run, lane: LaneView, path: string) {
  const { store, env } = context;
  const settings = await settingsFor(context, run.repository);
  const root = worktreesRoot(store.home, settings.worktrees);
  if (!existsSync(root)) return { removed: true } as const;
  makePrivateFolder(store.home.runs);
  const scratch = mkdtempSync(join(store.home.runs, 'gc-'));
  try {
    return await removeWorktree({
      path,
      root,
      repository: placeOfRun(run),
      locks: locksOf(store.home),
      env,
      indexFile: join(scratch, 'index'),
      keptBy: [laneBranch(lane), checkpointRef(run, lane.key)],
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function collectRefs(
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
