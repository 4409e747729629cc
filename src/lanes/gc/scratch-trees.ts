/** Removes what integrating a run has left behind: idle worktrees, their output, locks. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { dropWorktree, listWorktrees, type RegisteredWorktree } from '../../git/worktrees.ts';
import { endMarkedProcesses } from '../../process/end-tree.ts';
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
import { repositoryLock, withLock } from '../worktree/with-lock.ts';
import type { Collected, GcItem, GcWish } from './item.ts';
import { emptyFolder, evidenceOf } from './old-attempts.ts';

const GRACE_MS = 1_000;
const WAIT_MS = 300_000;

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
  const { identity, root } = placeOfRun(run);
  const file = repositoryLock(locksOf(context.store.home), 'worktrees', identity);
  const what = `other worktrees of ${root} to be made`;
  await withLock({ file, waitMs: WAIT_MS, what }, async () => {
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
