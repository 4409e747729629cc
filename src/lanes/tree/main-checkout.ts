/**
 * The user's own checkout, which no lane may change: its fingerprint before and after, and a copy of
 * the difference. Nothing here changes it.
 */
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { ExplainedError } from '../../base/errors.ts';
import { checkpointTree, privateTree } from '../../base/git/checkpoint.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { fileAt } from '../../base/git/paths.ts';
import {
  AUTHOR,
  checkedOutBranch,
  commitTree,
  moveRef,
  refAt,
  treeOf,
} from '../../base/git/plumbing.ts';
import { readStatus } from '../../base/git/repository-snapshot.ts';
import { sha256 } from '../../base/text/sha256.ts';
import { laneEventStore, type NewLaneEvent } from '../../store/lane-events.ts';
import { type Run, runStore } from '../../store/runs.ts';
import type { LaneContext } from '../spec/context.ts';
import { mainCheckoutRef } from '../spec/paths.ts';

interface Watched extends Pick<NewLaneEvent, 'laneId' | 'attemptId'> {
  /** The print from before. */
  readonly before: string;
  /** A lane's, or what was merged: names the ref that the difference is kept under. */
  readonly key: string;
  /** What went on since, as a clause. */
  readonly when: string;
  readonly dir: string;
}

/**
 * Agents, their tests and the user are indistinguishable here, so the run is paused until a person has looked.
 * A checkout with another commit is the user at work, and is only told of.
 *
 * @returns whether it differs.
 */
export async function pauseIfChanged(
  { store, env, now }: LaneContext,
  run: Run,
  { before, key, when, dir, ...of }: Watched,
): Promise<boolean> {
  const after = await checkoutPrint(run.repository, env);
  if (after === before) return false;
  const ref = mainCheckoutRef(run, key);
  const wish = { ref, env, indexFile: join(dir, 'main.index'), now: now() };
  const sha = await saveDiff(run.repository, wish);
  // A print begins with the checked-out commit.
  if (before.split('\n', 1)[0] !== after.split('\n', 1)[0]) return true;
  const reason = `the main checkout was changed while ${when}; it is kept as ${ref}`;
  store.write(() => {
    runStore(store).setIntent(run.id, 'paused', reason);
    const event = { type: 'run.paused', data: { reason, sha }, by: 'lanehold' };
    laneEventStore(store).add({ ...event, ...of, runId: run.id }, now());
  });
  return true;
}

/** Larger files are identified by size and times. */
const MAX_HASHED_BYTES = 4 * 1024 * 1024;

/**
 * A fingerprint: HEAD, the branch, what is staged, and every changed or untracked file with its
 * content. Ignored files, caches and times do not count. Its first line is the checked-out commit.
 */
export async function checkoutPrint(root: string, env: Environment): Promise<string> {
  const git = gitIn(root, env);
  const [branch, { head, changes }] = await Promise.all([checkedOutBranch(git), readStatus(git)]);
  const found = changes.map((change) => [change, contentOf(root, change.path)]);
  const digest = sha256(JSON.stringify([branch, found]));
  return `${head ?? ''}\n${digest}`;
}

function contentOf(root: string, path: string): string {
  const file = fileAt(root, path);
  const stats = lstatSync(file, { throwIfNoEntry: false, bigint: true });
  if (stats === undefined) return 'gone';
  if (stats.isSymbolicLink()) return `link ${readlinkSync(file, 'latin1')}`;
  if (!stats.isFile()) return `${stats.mode}`;
  const known = `${stats.mode} ${stats.size}`;
  if (stats.size > MAX_HASHED_BYTES) return `${known} ${stats.mtimeNs} ${stats.ctimeNs}`;
  try {
    return `${known} ${sha256(readFileSync(file))}`;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    // Unreadable, or deleted meanwhile.
    return `${known} ${error.code}`;
  }
}

/**
 * Saves the checkout's present files as a commit on top of HEAD, so that `git show <ref>` is the
 * difference, which the user can apply or revert.
 *
 * @returns the commit; `undefined` if nothing differs.
 */
export async function saveDiff(
  root: string,
  wish: Readonly<{ env: Environment; ref: string; indexFile: string; now: Date }>,
): Promise<string | undefined> {
  const { env, ref, indexFile, now } = wish;
  const tree = privateTree(root, indexFile, env);
  const { git } = tree;
  const head = (await git.text(['rev-parse', '--verify', 'HEAD^{commit}'])).trim();
  const taken = await checkpointTree(tree);
  if (taken.tree === (await treeOf(git, head))) return undefined;
  const message = `The main checkout ${root} as found`;
  const commit = { tree: taken.tree, parents: [head], message, author: AUTHOR, at: now };
  const sha = await commitTree(git, commit);
  const before = (await refAt(git, ref)) ?? '';
  if ((await moveRef(git, ref, sha, before, 'lanehold: main checkout')) === 'moved') return sha;
  throw new ExplainedError(`another process is writing ${ref}`, { hint: 'try again' });
}
