/** What git has of a run: the tips of its branches, its checkpoints. */
import { existsSync } from 'node:fs';
import { type Git, gitIn } from '../../git/git.ts';
import { refAt, treeOf } from '../../git/plumbing.ts';
import { checkpointStore } from '../../store/checkpoints.ts';
import type { Lane } from '../../store/lanes.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../context.ts';
import { laneBranch } from '../integration/repository.ts';
import { checkpointRef } from '../paths.ts';
import type { SavedSpec } from './saved-specs.ts';

export interface RunInGit {
  /** The commit of a lane's branch; `undefined` if there is none. */
  tipOf(lane: Lane): string | undefined;
  /** Call it after the attempts were added. */
  addCheckpoints(saved: readonly SavedSpec[]): void;
}

interface Found {
  readonly tip: string | undefined;
  readonly checkpoint:
    | { readonly sha: string; readonly tree: string; readonly files: number }
    | undefined;
}

export async function runInGit(
  { store, env, now }: LaneContext,
  run: Run,
  saved: readonly SavedSpec[],
): Promise<RunInGit> {
  const found = new Map<string, Found>();
  if (existsSync(run.commonDir)) {
    const git = gitIn(run.commonDir, env);
    for (const { lane } of saved) found.set(lane.id, await refsOf(git, run, lane));
  }
  return {
    tipOf: ({ id }) => found.get(id)?.tip,
    addCheckpoints(last) {
      for (const { lane, attempt } of last) {
        const checkpoint = found.get(lane.id)?.checkpoint;
        if (checkpoint === undefined) continue;
        const key = { laneId: lane.id, attemptId: attempt.id };
        checkpointStore(store).add({ ...key, ...checkpoint, reason: 'rebuilt', at: now() });
      }
    },
  };
}

async function refsOf(git: Git, run: Run, lane: Lane): Promise<Found> {
  const tip = await refAt(git, laneBranch(lane));
  const sha = await refAt(git, checkpointRef(run, lane.key));
  if (sha === undefined) return { tip, checkpoint: undefined };
  const names = await git.text(['ls-tree', '-r', '--name-only', '-z', sha]);
  const files = names.split('\0').length - 1;
  return { tip, checkpoint: { sha, tree: await treeOf(git, sha), files } };
}
