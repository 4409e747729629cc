/** What gc is asked to do, and what it reports. */

import { existsSync, readdirSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { dropWorktree, listWorktrees, type RegisteredWorktree } from '../../git/worktrees.ts';
import { endMarkedProcesses } from '../../process/end-tree.ts';
import { type Attempt, attemptStore } from '../../store/attempts.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import type { LaneView } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import {
  isPurposeBusy,
  PURPOSES,
  purposeDir,
  purposeFolder,
  purposeMarker,
  purposeReason,
  type TreePurpose,
  takePurposeLock,
} from '../integration/purpose.ts';
import { gitOfRun, placeOfRun } from '../integration/repository.ts';
import { locksOf } from '../paths.ts';
import { withWorktreesLock } from '../worktree/with-lock.ts';

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
  readonly why?: string;
}

/** What one part has removed, or left. */
export type Collected = readonly GcItem[];

const GRACE_MS = 1_000;

export async function collectPurposes(
  context: LaneContext,
  run: Run,
  wish: GcWish,
): Promise<Collected> {
  const items: GcItem[] = [];
  for (const purpose of PURPOSES)
    items.push(...(await collectPurpose(context, run, purpose, wish)));
  return items;
}

async function collectPurpose(
  context: LaneContext,
  run: Run,
  purpose: TreePurpose,
  wish: GcWish,
): Promise<Collected> {
  const trees = await treesFor(context, run, purpose);
  const found = [
    ...trees.map(({ path }): GcItem => ({ run: run.name, what: 'worktree', name: path })),
    ...outputOf(context, run, purpose, wish),
  ];
  const { home } = context.store;
  const busy = found.map((item): GcItem => ({ ...item, why: 'a validation runs there' }));
  if (isPurposeBusy(home, purpose, run)) return busy;
  if (wish.mode === 'dry-run') return found;
  const lock = takePurposeLock(home, purpose, run);
  if (lock === undefined) return busy;
  try {
    if (trees.length > 0) await drop(context, run, purpose, trees);
    for (const { what, name } of found)
      if (what === 'attempt') removeOutput(context, run, name, wish);
    return found;
  } finally {
    lock.discard();
  }
}

/** Matched by name and by git's lock reason: no other tree has both. */
async function treesFor(
  context: LaneContext,
  run: Run,
  purpose: TreePurpose,
): Promise<readonly RegisteredWorktree[]> {
  const reason = purposeReason(purpose, run);
  const all = await listWorktrees(gitOfRun(context, run));
  return all.filter(
    ({ path, locked }) => basename(path) === purposeFolder(purpose) && locked === reason,
  );
}

async function drop(
  context: LaneContext,
  run: Run,
  purpose: TreePurpose,
  trees: readonly RegisteredWorktree[],
): Promise<void> {
  // Processes of a killed integration would go on writing into the folder.
  await endMarkedProcesses(purposeMarker(purpose, run), { graceMs: GRACE_MS });
  const git = gitOfRun(context, run);
  await withWorktreesLock(locksOf(context.store.home), placeOfRun(run), async () => {
    for (const { path } of trees) await dropWorktree(git, path);
  });
}

/** The output folder, if it holds old files that are no evidence. */
function outputOf(context: LaneContext, run: Run, purpose: TreePurpose, wish: GcWish): Collected {
  const dir = purposeDir(context.store.home, purpose, run);
  if (oldFiles(context, run, dir, wish).length === 0) return [];
  return [{ run: run.name, what: 'attempt', name: dir }];
}

function removeOutput(context: LaneContext, run: Run, dir: string, wish: GcWish): void {
  emptyFolder(dir, oldFiles(context, run, dir, wish));
}

function oldFiles(
  context: LaneContext,
  run: Run,
  dir: string,
  { attemptsBefore }: GcWish,
): string[] {
  if (!existsSync(dir)) return [];
  const evidence = evidenceOf(context, run);
  return readdirSync(dir)
    .map((name) => join(dir, name))
    .filter((file) => !evidence.has(file) && statSync(file).mtime < attemptsBefore);
}

/** Logs that a verdict refers to stay: they are its proof. */
export function collectAttempts(
  context: LaneContext,
  run: Run,
  lanes: readonly LaneView[],
  { attemptsBefore, mode }: GcWish,
): Collected {
  const evidence = evidenceOf(context, run);
  const attempts = attemptStore(context.store);
  return lanes.flatMap(({ id }) =>
    attempts.ofLane(id).flatMap((attempt): Collected => {
      if (!isOurs(context, attempt) || !existsSync(attempt.dir)) return [];
      const useless = readdirSync(attempt.dir)
        .map((name) => join(attempt.dir, name))
        .filter((file) => !evidence.has(file));
      if (useless.length === 0) return [];
      const item = { run: run.name, what: 'attempt', name: attempt.dir } as const;
      if (attempt.endedAt === null || attempt.endedAt >= attemptsBefore) {
        return [{ ...item, why: 'it is not old enough' }];
      }
      if (mode === 'remove') emptyFolder(attempt.dir, useless);
      return [item];
    }),
  );
}

/** A stored path may be anything: only folders of attempts are touched. */
function isOurs({ store }: LaneContext, { id, dir }: Attempt): boolean {
  return dir === join(store.home.runs, 'lanes', id) && dirname(dir) !== dir;
}

/** Log files that verdicts refer to. */
function evidenceOf({ store }: LaneContext, run: Run): ReadonlySet<string> {
  const all = laneValidationStore(store).ofRun(run.id);
  return new Set(all.flatMap(({ logPath, runs }) => [logPath, ...runs.map((it) => it.logPath)]));
}

function emptyFolder(dir: string, files: readonly string[]): void {
  for (const file of files) rmSync(file, { recursive: true, force: true });
  if (readdirSync(dir).length === 0) rmdirSync(dir);
}
