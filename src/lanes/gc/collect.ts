/**
 * Removes what finished runs have left behind: worktrees, lanehold's own refs, the output of attempts.
 * Only what is preserved elsewhere is removed; branches and evidence always stay.
 */
import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { removeTreesLeftIn } from '../../checkout/temporary-tree.ts';
import { ExplainedError } from '../../errors.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import type { Git } from '../../git/git.ts';
import { deleteRef, isAncestor, refAt, refsBelow, treeOf } from '../../git/plumbing.ts';
import { endMarkedProcesses } from '../../process/end-tree.ts';
import { attemptStore, isLive } from '../../store/attempts.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import { type Removed, removeWorktree } from '../checkout/remove.ts';
import { PURPOSES, scratchTree, type TreePurpose } from '../checkout/scratch-tree.ts';
import { addLaneEvent, type LaneContext } from '../model/context.ts';
import {
  attemptDir,
  baseRef,
  checkpointRef,
  laneDir,
  locksOf,
  mainCheckoutRef,
  worktreesRoot,
} from '../model/paths.ts';
import { gitOfRun, laneBranch, placeOfRun } from '../model/repository.ts';
import { settingsFor } from '../model/settings-for.ts';

export interface GcWish {
  /** `drop`: the user gave up what only lanehold's own refs keep. */
  readonly refs: 'keep-unmerged' | 'drop';
  /** Of attempts that ended before this, only the evidence stays. */
  readonly attemptsBefore: Date;
  readonly mode: 'remove' | 'dry-run';
}

export interface GcItem {
  readonly run: string;
  readonly what: 'worktree' | 'ref' | 'attempt';
  readonly name: string;
  /** Why it stays; absent: removed. */
  readonly why?: string | undefined;
}

export interface GcReport {
  readonly removed: readonly GcItem[];
  readonly kept: readonly GcItem[];
}

export async function collectRun(context: LaneContext, run: Run, wish: GcWish): Promise<GcReport> {
  const lanes = laneStore(context.store).ofRun(run.id);
  const why = reasonToKeepAll(context, run, lanes, wish);
  if (why !== undefined) {
    const trees = lanes.flatMap(({ worktree }) => worktree ?? []);
    return { removed: [], kept: trees.map((path) => ({ ...treeItem(run, path), why })) };
  }
  const items: GcItem[] = [];
  // Worktrees first: their content may be kept by nothing but a ref that is removed below.
  for (const lane of lanes) items.push(...(await collectWorktree(context, run, lane, wish)));
  const evidence = evidenceOf(context, run);
  for (const purpose of PURPOSES) {
    items.push(...(await collectPurpose(context, run, { purpose, evidence }, wish)));
  }
  items.push(...(await collectRefs(context, run, lanes, wish)));
  items.push(...collectAttempts(context, run, { lanes, evidence }, wish));
  return {
    removed: items.filter((item) => item.why === undefined),
    kept: items.filter((item) => item.why !== undefined),
  };
}

const treeItem = (run: Run, path: string): GcItem => ({
  run: run.name,
  what: 'worktree',
  name: path,
});

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
  return over || landed || refs === 'drop' ? undefined : `the run is ${run.intent}`;
}

const OVER: ReadonlySet<string> = new Set(['landed', 'cancelled']);

async function collectWorktree(
  context: LaneContext,
  run: Run,
  lane: LaneView,
  { mode }: GcWish,
): Promise<GcItem[]> {
  const path = lane.worktree;
  if (path === null) return [];
  const item = treeItem(run, path);
  if (lane.adopted) return [{ ...item, why: 'lanehold did not make it' }];
  if (mode === 'dry-run') return [item];
  const done = await remove(context, run, lane, path);
  if ('kept' in done) return [{ ...item, why: done.kept }];
  const { store } = context;
  store.write(() => {
    laneStore(store).setWorktree(lane.id, null);
    addLaneEvent(context, lane, { type: 'worktree.removed', data: { path }, by: 'gc' });
  });
  return [item];
}

/** A worktree that cannot be removed does not keep the others from being removed. */
async function remove(
  context: LaneContext,
  run: Run,
  lane: LaneView,
  path: string,
): Promise<Removed> {
  const { home } = context.store;
  let scratch: string | undefined;
  try {
    const settings = await settingsFor(context, run);
    const root = worktreesRoot(home, settings.worktrees);
    if (!existsSync(root)) return { removed: true };
    makePrivateFolder(home.runs);
    scratch = mkdtempSync(join(home.runs, 'gc-'));
    return await removeWorktree({
      path,
      root,
      repository: placeOfRun(run),
      locks: locksOf(home),
      env: context.env,
      indexFile: join(scratch, 'index'),
      keptBy: [laneBranch(lane), checkpointRef(run, lane.key)],
    });
  } catch (error) {
    if (error instanceof ExplainedError) return { kept: error.message };
    throw error;
  } finally {
    if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
  }
}

async function collectRefs(
  context: LaneContext,
  run: Run,
  lanes: readonly LaneView[],
  { refs, mode }: GcWish,
): Promise<GcItem[]> {
  const git = gitOfRun(context, run);
  const items: GcItem[] = [];
  for (const [name, sha] of await refsBelow(git, `refs/lanehold/${run.id}`)) {
    let why = refs === 'drop' ? undefined : await reasonToKeep(git, run, lanes, { name, sha });
    if (why === undefined && mode === 'remove' && (await deleteRef(git, name, sha)) === 'lost') {
      why = 'it has just moved';
    }
    items.push({ run: run.name, what: 'ref', name, why });
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

const GRACE_MS = 1_000;

/** The output of integrations, or of compositions, with the tree that a killed one has left there. */
async function collectPurpose(
  context: LaneContext,
  run: Run,
  { purpose, evidence }: { readonly purpose: TreePurpose; readonly evidence: Evidence },
  { mode, attemptsBefore }: GcWish,
): Promise<GcItem[]> {
  const { home } = context.store;
  const { dir, marker, take } = scratchTree(home, purpose, run);
  const old = filesBut(evidence, dir).filter((file) => statSync(file).mtime < attemptsBefore);
  const found: GcItem[] = old.length === 0 ? [] : [{ run: run.name, what: 'attempt', name: dir }];
  const lock = take();
  if (lock === undefined) return found.map((item) => ({ ...item, why: 'a validation runs there' }));
  try {
    if (mode === 'dry-run' || old.length === 0) return found;
    // Processes of a killed integration would go on writing into the folder.
    await endMarkedProcesses(marker, { graceMs: GRACE_MS });
    await removeTreesLeftIn(gitOfRun(context, run), dir);
    emptyFolder(dir, old);
    return found;
  } finally {
    lock.discard();
  }
}

function collectAttempts(
  { store }: LaneContext,
  run: Run,
  { lanes, evidence }: { readonly lanes: readonly LaneView[]; readonly evidence: Evidence },
  { attemptsBefore, mode }: GcWish,
): GcItem[] {
  const attempts = lanes.flatMap(({ id }) => attemptStore(store).ofLane(id));
  // What a lane was spawned with goes with its last attempt.
  const spawned = lanes.flatMap(({ id }) => {
    const last = attempts.findLast(({ laneId }) => laneId === id);
    return last === undefined ? [] : { ...last, id, dir: laneDir(store.home, id) };
  });
  return [...attempts, ...spawned].flatMap(({ id, dir, endedAt }): GcItem[] => {
    // A stored path may be anything: only folders of attempts are touched.
    const files = dir === attemptDir(store.home, id) ? filesBut(evidence, dir) : [];
    if (files.length === 0) return [];
    const item = { run: run.name, what: 'attempt', name: dir } as const;
    if (endedAt === null || endedAt >= attemptsBefore) {
      return [{ ...item, why: 'it is not old enough' }];
    }
    if (mode === 'remove') emptyFolder(dir, files);
    return [item];
  });
}

type Evidence = ReadonlySet<string>;

/** Log files that verdicts refer to: they stay, as their proof. */
function evidenceOf({ store }: LaneContext, run: Run): Evidence {
  const all = laneValidationStore(store).ofRun(run.id);
  return new Set(all.flatMap(({ logPath, runs }) => [logPath, ...runs.map((it) => it.logPath)]));
}

function filesBut(evidence: Evidence, dir: string): string[] {
  const names = existsSync(dir) ? readdirSync(dir) : [];
  return names.map((name) => join(dir, name)).filter((file) => !evidence.has(file));
}

function emptyFolder(dir: string, files: readonly string[]): void {
  for (const file of files) rmSync(file, { recursive: true, force: true });
  if (readdirSync(dir).length === 0) rmdirSync(dir);
}
