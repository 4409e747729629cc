import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError } from '../../errors.ts';
import { makePrivateFolder } from '../../files/private-folder.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { laneBranch, placeOfRun } from '../integration/repository.ts';
import { checkpointRef, locksOf, worktreesRoot } from '../paths.ts';
import { settingsFor } from '../settings-for.ts';
import { removeWorktree } from '../worktree/remove.ts';
import type { Collected, GcWish } from './item.ts';

export async function collectWorktree(
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
  const { store, now } = context;
  store.write(() => {
    laneStore(store).setWorktree(lane.id, null);
    const event = { runId: run.id, laneId: lane.id, type: 'worktree.removed', by: 'gc' };
    laneEventStore(store).add({ ...event, data: { path } }, now());
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
