/**
 * The user's own checkout, which no lane may change: its fingerprint before and after, and a copy of
 * the difference. Nothing here changes it.
 */
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
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
