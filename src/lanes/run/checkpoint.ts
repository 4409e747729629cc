/** Saves the whole tree of a lane under a ref, and leaves the tree clean when an attempt ends. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { checkpointTree, privateTree } from '../../base/git/checkpoint.ts';
import type { Git } from '../../base/git/git.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { AUTHOR, commitTree, moveRef, refAt } from '../../base/git/plumbing.ts';
import { projectPlace } from '../../base/git/project.ts';
import { processEntries } from '../../base/process/process-entry.ts';
import { checkpointStore } from '../../store/attempts.ts';
import { checkpointRef } from '../spec/paths.ts';
import { backOnBranch } from '../tree/lane-commit.ts';
import { isReady } from '../tree/lane-tree.ts';
import { linkedGitDir } from '../tree/place.ts';
import { recordFailure, type Supervision } from './supervision.ts';

/** Changes neither tree nor index; makes a new commit only if the tree differs from the last one. */
export async function takeCheckpoint(it: Supervision, reason: string) {
  await it.lookAtGit();
  const { worktree, dir } = it.attempt();
  const lane = it.lane();
  const { env, store, now } = it.context;
  const tree = privateTree(worktree, join(dir, 'checkpoint.index'), env);
  const base = lane.headSha ?? lane.baseSha ?? it.run().baseSha;
  const taken = await checkpointTree(tree, { base });
  const { tree: saved, files, denied } = taken;
  const leftOut = taken.leftOut.map(({ path }) => path);
  if (denied.length > 0) it.flag(`not-kept: ${denied.slice(0, SHOWN).join(', ')}`);
  if (leftOut.length > 0) it.flag(`left-out: ${leftOut.slice(0, SHOWN).join(', ')}`);
  const ref = checkpointRef(it.run(), lane.key);
  const git = gitIn(worktree, env);
  const last = checkpointStore(store).last(lane.id);
  if (last?.tree === saved && (await refAt(git, ref)) === last.sha) {
    return { ...last, index: tree.indexFile, changed: false };
  }
  const message = `Checkpoint of lane ${lane.key}: ${reason}`;
  const commitOn = async (kept: string | undefined, before = kept) => {
    // The earlier checkpoint stays reachable, whatever the worker does to its tree.
    const parents = before === undefined ? [base] : [base, before];
    const commit = { tree: saved, parents, message, author: AUTHOR, at: now() };
    const sha = commitTree(git, commit);
    return { sha, is: await moveRef(git, ref, sha, kept ?? '', 'lanehold: checkpoint') };
  };
  let { sha, is } = await commitOn(last?.sha);
  if (is === 'lost') {
    // A worker may have deleted the ref.
    const kept = await refAt(git, ref);
    sha = (await commitOn(kept, kept ?? (await commitAt(git, last?.sha)))).sha;
  }
  const row = { laneId: lane.id, attemptId: it.attemptId, sha, tree: saved, files, reason };
  store.write(() => checkpointStore(store).add({ ...row, at: now() }));
  it.note({ lastChangeAt: now() });
  it.event('checkpoint', { sha, files, reason });
  return { tree: saved, sha, index: tree.indexFile, changed: true };
}

const SHOWN = 20;

/** A commit without a ref exists until git collects it. */
async function commitAt(git: Git, sha: string | undefined): Promise<string | undefined> {
  if (sha === undefined) return undefined;
  return (await git.maybe(['rev-parse', '--verify', '--quiet', `${sha}^{commit}`]))?.trim();
}

/** Why the lane's worktree is lost; git in that folder would run on another repository. */
export function lostTree(it: Supervision): string | undefined {
  const { worktree } = it.attempt();
  if (!isThere(worktree)) return `worktree: ${worktree} is gone`;
  const gitDir = linkedGitDir(worktree, projectPlace(it.run().repository));
  return typeof gitDir === 'string' ? undefined : `worktree: ${worktree}: ${gitDir.why}`;
}

export function isThere(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Saves the whole tree, and leaves it in a state from which the next attempt can begin. */
export async function leaveTree(it: Supervision, reason: string): Promise<void> {
  // An incomplete tree must not become the newest checkpoint.
  if (lostTree(it) !== undefined) return;
  const { gitDir } = projectPlace(it.attempt().worktree);
  const wasReady = gitDir !== undefined && isReady(gitDir);
  if (!wasReady && !it.lane().adopted) return;
  await takeCheckpoint(it, reason);
  await leaveOnBranch(it);
}

/** Leaves the tree; a failed checkpoint must not stop the end of the attempt. */
export async function leaveIfPossible(it: Supervision, reason: string): Promise<void> {
  try {
    await leaveTree(it, reason);
  } catch (error) {
    recordFailure(it, 'checkpoint.failed', error);
  }
}

export async function leaveOnBranch(it: Supervision): Promise<void> {
  const { branch, headSha, adopted } = it.lane();
  // An adopted tree stays as its owner left it.
  if (adopted) return;
  const { worktree, startSha } = it.attempt();
  it.flag(...(await backOnBranch(gitIn(worktree, it.context.env), branch, headSha ?? startSha)));
}

/** The most skipped checkpoints: a worker can leave its session, and processes outside are not seen. */
const MOST_SKIPPED = 4;

/** Whether the worker has used no processor time since the last call, and so cannot have changed anything. */
function idleness(it: Supervision): () => boolean {
  let before: string | undefined;
  let skipped = 0;
  return () => {
    const { guardPid } = it.attempt();
    const own = processEntries().filter(({ session }) => session === guardPid);
    const now = own.map(({ pid, ticks }) => `${pid} ${ticks ?? performance.now()}`).join();
    const isIdle = now === before && own.length > 0 && skipped < MOST_SKIPPED;
    before = now;
    skipped = isIdle ? skipped + 1 : 0;
    return isIdle;
  };
}

const TIDY_MS = 1_000;

interface CheckpointRhythm {
  readonly everyMs: number;
  /** Counts the time in which the worker was watched. */
  readonly clock: () => number;
  readonly onChange: (sha: string) => void;
}

export function checkpointer(it: Supervision, { everyMs, clock, onChange }: CheckpointRhythm) {
  let running: Promise<void> | undefined;
  let due = performance.now() + everyMs;
  let changedAt = clock();
  const isIdle = idleness(it);
  const take = async (): Promise<void> => {
    try {
      const { changed, sha } = await takeCheckpoint(it, 'periodic');
      if (!changed) return;
      changedAt = clock();
      onChange(sha);
    } catch (error) {
      // The tree may have changed while it was read; a later checkpoint will follow.
      recordFailure(it, 'checkpoint.failed', error);
    } finally {
      // The memory of a checkpoint is not needed while the worker continues.
      setTimeout(() => globalThis.gc?.({ type: 'major', flavor: 'last-resort' }), TIDY_MS).unref();
      due = performance.now() + everyMs;
      running = undefined;
    }
  };
  return {
    changedAt: () => changedAt,
    poll(): void {
      if (running !== undefined || performance.now() < due) return;
      if (isIdle()) due = performance.now() + everyMs;
      else running = take();
    },
    finish: async () => await running,
  };
}
