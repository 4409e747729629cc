/**
 * Removes what finished runs have left behind: worktrees, lanehold's own refs, the output of attempts. Only content
 * that is preserved elsewhere is removed; branches and evidence always stay.
 */
import { existsSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError } from '../../base/errors.ts';
import type { Git } from '../../base/git/git.ts';
import { deleteRef, refAt, refsBelow, treeOf } from '../../base/git/plumbing.ts';
import { placeOfGitDir } from '../../base/git/project.ts';
import { endMarkedProcesses } from '../../base/process/end-tree.ts';
import { removeKeptTrees } from '../../checkout/kept-tree.ts';
import { removeTreesLeftIn } from '../../checkout/temporary-tree.ts';
import { attemptStore, isLive } from '../../store/attempts.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { type LaneView, laneStore, type Run } from '../../store/lanes.ts';
import { hasAllOf } from '../queue/land.ts';
import { settingsFor } from '../settings/settings-for.ts';
import { addLaneEvent, gitOfRun, type LaneContext, laneBranch } from '../spec/context.ts';
import {
  asideRef,
  attemptDir,
  baseRef,
  checkpointRef,
  laneDir,
  validationTrees,
  worktreesRoot,
} from '../spec/paths.ts';
import { removeWorktree } from '../tree/remove.ts';
import { PURPOSES, scratchTree, type TreePurpose } from '../tree/scratch-tree.ts';

export interface GcWish {
  /** `drop`: the user gave up the commits that only lanehold's refs keep. */
  readonly refs: 'keep-unmerged' | 'drop';
  /** Attempts that ended earlier keep only their evidence. */
  readonly attemptsBefore: Date;
  readonly mode: 'remove' | 'dry-run';
}

export interface GcItem {
  readonly run: string;
  readonly what: 'worktree' | 'ref' | 'attempt';
  readonly name: string;
  /** Why it is kept; absent: removed. */
  readonly why?: string | undefined;
}

interface Collection extends LaneContext {
  readonly run: Run;
  readonly lanes: readonly LaneView[];
  readonly wish: GcWish;
  /** Log files of verdicts, which are kept as their proof. */
  readonly evidence: ReadonlySet<string>;
}

type Collected = Omit<GcItem, 'run'>;

export async function collectRun(context: LaneContext, run: Run, wish: GcWish): Promise<GcItem[]> {
  const lanes = laneStore(context.store).ofRun(run.id);
  const verdicts = laneValidationStore(context.store).ofRun(run.id);
  const logs = verdicts.flatMap(({ logPath, runs }) => [logPath, ...runs.map((it) => it.logPath)]);
  const it: Collection = { ...context, run, lanes, wish, evidence: new Set(logs) };
  const why = reasonToKeepAll(it);
  const found = why === undefined ? await collect(it) : treesOf(lanes, why);
  return found.map((item) => ({ run: run.name, ...item }));
}

const treesOf = (lanes: readonly LaneView[], why: string): Collected[] =>
  lanes.flatMap(({ worktree: name }) => (name === null ? [] : { what: 'worktree', name, why }));

async function collect(it: Collection): Promise<Collected[]> {
  const found: Collected[] = [];
  // Worktrees come first: only a ref that is removed below may keep their content.
  for (const lane of it.lanes) found.push(...(await collectWorktree(it, lane)));
  found.push(...(await collectKeptTrees(it)));
  for (const purpose of PURPOSES) found.push(...(await collectPurpose(it, purpose)));
  found.push(...(await collectRefs(it)), ...collectAttempts(it));
  return found;
}

function reasonToKeepAll({ store, run, lanes, wish }: Collection): string | undefined {
  if (!existsSync(run.commonDir)) return 'the repository is not where it was';
  const attempts = attemptStore(store);
  const busy = lanes.find(({ id }) => attempts.ofLane(id).some(isLive));
  if (busy !== undefined) return `lane ${busy.key} is at work`;
  const over = run.intent === 'cancelled' || run.intent === 'closed';
  const isOver = ({ state }: LaneView) => state === 'landed' || state === 'cancelled';
  const landed = lanes.length > 0 && lanes.every(isOver);
  return over || landed || wish.refs === 'drop' ? undefined : `the run is ${run.intent}`;
}

async function collectWorktree(it: Collection, lane: LaneView): Promise<Collected[]> {
  const path = lane.worktree;
  if (path === null) return [];
  const item: Collected = { what: 'worktree', name: path };
  if (lane.adopted) return [{ ...item, why: 'lanehold did not make it' }];
  if (it.wish.mode === 'dry-run') return [item];
  const why = await remove(it, lane, path);
  if (why !== undefined) return [{ ...item, why }];
  it.store.write(() => {
    laneStore(it.store).setWorktree(lane.id, null);
    addLaneEvent(it, lane, { type: 'worktree.removed', data: { path }, by: 'gc' });
  });
  return [item];
}

/**
 * Removes a worktree; a failure does not stop the removal of others.
 *
 * @returns why it was kept.
 */
async function remove(it: Collection, lane: LaneView, path: string): Promise<string | undefined> {
  const { run, env } = it;
  const { home } = it.store;
  try {
    const { worktrees } = await settingsFor(it, run);
    const root = worktreesRoot(home, worktrees);
    if (!existsSync(root)) return undefined;
    const repository = { ...placeOfGitDir(run.commonDir), root: run.repository };
    const keptBy = [laneBranch(lane), checkpointRef(run, lane.key)];
    return await removeWorktree({ path, root, env, repository, locks: home.locks, keptBy });
  } catch (error) {
    if (error instanceof ExplainedError) return error.message;
    throw error;
  }
}

async function collectRefs(it: Collection): Promise<Collected[]> {
  const git = gitOfRun(it, it.run);
  const { refs, mode } = it.wish;
  const found: Collected[] = [];
  for (const [name, sha] of await refsBelow(git, `refs/lanehold/${it.run.id}`)) {
    let why = refs === 'drop' ? undefined : await reasonToKeep(it, git, name, sha);
    if (why === undefined && mode === 'remove' && (await deleteRef(git, name, sha)) === 'lost') {
      why = 'it has just moved';
    }
    found.push({ what: 'ref', name, why });
  }
  return found;
}

/** Why a ref is kept: its commit is nowhere else. */
async function reasonToKeep({ run, lanes }: Collection, git: Git, name: string, sha: string) {
  if (name === run.integrationRef) {
    const target = await refAt(git, run.targetRef);
    const landed = target !== undefined && (await hasAllOf(git, target, sha));
    return landed ? undefined : `it has not landed on ${run.targetRef}`;
  }
  // These are merges of commits that branches and checkpoints hold.
  if (lanes.some(({ key }) => baseRef(run, key) === name)) return undefined;
  if (name.startsWith(asideRef(run, ''))) return 'nothing else has it; `--drop` gives it up';
  const lane = lanes.find(({ key }) => checkpointRef(run, key) === name);
  if (lane === undefined) return 'it belongs to no lane';
  if (lane.state === 'landed') return undefined;
  const tip = await refAt(git, laneBranch(lane));
  const same = tip !== undefined && (await treeOf(git, tip)) === (await treeOf(git, sha));
  return same ? undefined : 'its branch has not got all of it; `--drop` gives it up';
}

async function collectKeptTrees(it: Collection): Promise<Collected[]> {
  const name = validationTrees(it.store.home, it.run);
  if (!existsSync(name)) return [];
  const isGone = it.wish.mode === 'dry-run' || (await removeKeptTrees(gitOfRun(it, it.run), name));
  return [{ what: 'worktree', name, why: isGone ? undefined : 'a validation runs there' }];
}

const GRACE_MS = 1_000;

/** Removes the output of integrations, or of compositions, with the tree that a killed one has left. */
async function collectPurpose(it: Collection, purpose: TreePurpose): Promise<Collected[]> {
  const { dir, marker, take } = scratchTree(it.store.home, purpose, it.run);
  const old = outputIn(it, dir).filter((file) => statSync(file).mtime < it.wish.attemptsBefore);
  if (old.length === 0) return [];
  const item: Collected = { what: 'attempt', name: dir };
  const lock = take();
  if (lock === undefined) return [{ ...item, why: 'a validation runs there' }];
  try {
    if (it.wish.mode === 'dry-run') return [item];
    // Processes of a killed integration would still write into the folder.
    await endMarkedProcesses(marker, { graceMs: GRACE_MS });
    await removeTreesLeftIn(gitOfRun(it, it.run), dir);
    emptyFolder(dir, old);
    return [item];
  } finally {
    lock.discard();
  }
}

function collectAttempts(it: Collection): Collected[] {
  const { store, lanes } = it;
  const { attemptsBefore, mode } = it.wish;
  const attempts = lanes.flatMap(({ id }) => attemptStore(store).ofLane(id));
  // The folder of a lane's start is removed with its last attempt.
  const spawned = lanes.flatMap(({ id }) => {
    const last = attempts.findLast(({ laneId }) => laneId === id);
    return last === undefined ? [] : { ...last, id, dir: laneDir(store.home, id) };
  });
  return [...attempts, ...spawned].flatMap(({ id, dir, endedAt }): Collected[] => {
    // A stored path may be anything, so only folders of attempts are removed.
    const files = dir === attemptDir(store.home, id) ? outputIn(it, dir) : [];
    if (files.length === 0) return [];
    const item: Collected = { what: 'attempt', name: dir };
    if (endedAt === null || endedAt >= attemptsBefore) {
      const since = attemptsBefore.toISOString().slice(0, 16).replace('T', ' ');
      const why = endedAt === null ? 'it is at work' : `it ended after ${since}: see --older-than`;
      return [{ ...item, why }];
    }
    if (mode === 'remove') emptyFolder(dir, files);
    return [item];
  });
}

function outputIn({ evidence }: Collection, dir: string): string[] {
  const names = existsSync(dir) ? readdirSync(dir) : [];
  return names.map((name) => join(dir, name)).filter((file) => !evidence.has(file));
}

function emptyFolder(dir: string, files: readonly string[]): void {
  for (const file of files) rmSync(file, { recursive: true, force: true });
  if (readdirSync(dir).length === 0) rmdirSync(dir);
}
