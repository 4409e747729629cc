/** Saves the whole tree of a lane under a ref, without touching the tree or its index. */
import { join } from 'node:path';
import { checkpointTree, privateTree, type TreeCheckpoint } from '../../git/checkpoint.ts';
import { gitIn } from '../../git/git.ts';
import { AUTHOR, commitTree, moveRef, refAt } from '../../git/plumbing.ts';
import { checkpointStore } from '../../store/attempts.ts';
import { checkpointRef } from '../paths.ts';
import { isDeniedPath } from '../worktree/denied-paths.ts';
import { type Supervision, tellFailure } from './supervision.ts';

export interface Taken {
  readonly tree: string;
  readonly sha: string;
  readonly changed: boolean;
}

/** Saves the present tree; makes a new commit only if it differs from the last checkpoint. */
export async function takeCheckpoint(it: Supervision, reason: string): Promise<Taken> {
  const { worktree, dir } = it.attempt();
  const lane = it.lane();
  const { env, store, now } = it.context;
  const tree = privateTree(worktree, join(dir, 'checkpoint.index'), env);
  const base = lane.headSha ?? lane.baseSha ?? it.run().baseSha;
  const taken = await checkpointTree(tree, { denied: isDeniedPath, base });
  flagLeftOut(it, taken);
  const ref = checkpointRef(it.run(), lane.key);
  const git = gitIn(worktree, env);
  const last = checkpointStore(store).last(lane.id);
  const kept = await refAt(git, ref);
  if (last !== undefined && last.tree === taken.tree && kept === last.sha) {
    return { tree: taken.tree, sha: last.sha, changed: false };
  }
  const sha = await commitTree(git, {
    tree: taken.tree,
    parents: [base],
    message: `Checkpoint of lane ${lane.key}: ${reason}`,
    author: AUTHOR,
    at: now(),
  });
  await moveRef(git, ref, sha, kept ?? '', 'lanehold: checkpoint');
  store.write(() => {
    checkpointStore(store).add({
      laneId: lane.id,
      attemptId: it.attemptId,
      sha,
      tree: taken.tree,
      files: taken.files,
      reason,
      at: now(),
    });
  });
  it.note({ lastChangeAt: now() });
  it.event('checkpoint', { sha, files: taken.files, reason });
  return { tree: taken.tree, sha, changed: true };
}

const SHOWN = 20;

function flagLeftOut(it: Supervision, { denied, leftOut }: TreeCheckpoint): void {
  if (denied.length > 0) it.flag(`not-kept: ${denied.slice(0, SHOWN).join(', ')}`);
  const paths = leftOut.map(({ path }) => path);
  if (paths.length > 0) it.flag(`left-out: ${paths.slice(0, SHOWN).join(', ')}`);
}

/** Takes checkpoints in the background, one at a time. */
export function checkpointer(
  it: Supervision,
  { everyMs, onChange }: { readonly everyMs: number; readonly onChange: (sha: string) => void },
) {
  let running: Promise<void> | undefined;
  let due = performance.now() + everyMs;
  let changedAt = performance.now();
  const once = async (): Promise<void> => {
    try {
      const { changed, sha } = await takeCheckpoint(it, 'periodic');
      if (changed) {
        changedAt = performance.now();
        onChange(sha);
      }
    } catch (error) {
      // The tree may have changed while it was read; a later checkpoint will follow.
      tellFailure(it, 'checkpoint.failed', error);
    } finally {
      due = performance.now() + everyMs;
      running = undefined;
    }
  };
  return {
    /** When the tree was last seen to change, on the monotonic clock. */
    changedAt: () => changedAt,
    poll(): void {
      if (running !== undefined || performance.now() < due) return;
      running = once();
    },
    finish: async (): Promise<void> => {
      await running;
    },
  };
}
