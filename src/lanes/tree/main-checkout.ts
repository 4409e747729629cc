/**
 * The user's own checkout, which no lane may change: its fingerprint before and after, and a copy of
 * the difference. Nothing here changes it.
 */
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import type { Environment } from '../../base/environment.ts';
import { ExplainedError } from '../../base/errors.ts';
import { isDeniedPath } from '../../base/files/denied-paths.ts';
import { checkpointTree, privateTree } from '../../base/git/checkpoint.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { AUTHOR, commitTree, moveRef, refAt, treeOf } from '../../base/git/plumbing.ts';

/** Larger files are identified by size and times. */
const MAX_HASHED_BYTES = 4 * 1024 * 1024;

/**
 * A fingerprint: HEAD, the branch, what is staged, and every changed or untracked file with its
 * content. Ignored files, caches and times do not count. Its first line is the checked-out commit.
 */
export async function checkoutPrint(root: string, env: Environment): Promise<string> {
  const git = gitIn(root, env);
  const format = ['--porcelain=v2', '--branch', '--no-ahead-behind', '-z', '--no-renames'];
  const scope = ['--untracked-files=all', '--ignore-submodules=none'];
  const status = await git.bytes(['status', ...format, ...scope]);
  const hash = createHash('sha256');
  // Names are any bytes; latin1 keeps one character for each byte.
  let head = '';
  for (const line of status.toString('latin1').split('\0')) {
    // The headers also tell of fetches and stashes, which do not count.
    if (line.startsWith('# ') && !/^# branch\.(?:oid|head) /.test(line)) continue;
    if (line.startsWith(HEAD_LINE)) head = line.slice(HEAD_LINE.length);
    const path = pathIn(line);
    hash.update(`${line}\0${path === undefined ? '' : contentOf(root, path)}\0`);
  }
  return `${head}\n${hash.digest('hex')}`;
}

const HEAD_LINE = '# branch.oid ';

/** The number of fields before the path, by the kind of line. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 };

function pathIn(line: string): string | undefined {
  const fields = FIELDS[line[0] ?? ''];
  return fields === undefined ? undefined : line.split(' ').slice(fields).join(' ');
}

function contentOf(root: string, path: string): string {
  const file = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
  const stats = lstatSync(file, { throwIfNoEntry: false, bigint: true });
  if (stats === undefined) return 'gone';
  if (stats.isSymbolicLink()) return `link ${readlinkSync(file, 'latin1')}`;
  if (!stats.isFile()) return `${stats.mode}`;
  const known = `${stats.mode} ${stats.size}`;
  if (stats.size > MAX_HASHED_BYTES) return `${known} ${stats.mtimeNs} ${stats.ctimeNs}`;
  try {
    return `${known} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`;
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
  const taken = await checkpointTree(tree, { denied: isDeniedPath });
  if (taken.tree === (await treeOf(git, head))) return undefined;
  const message = `The main checkout ${root} as found`;
  const commit = { tree: taken.tree, parents: [head], message, author: AUTHOR, at: now };
  const sha = await commitTree(git, commit);
  const before = (await refAt(git, ref)) ?? '';
  if ((await moveRef(git, ref, sha, before, 'lanehold: main checkout')) === 'moved') return sha;
  throw new ExplainedError(`another process is writing ${ref}`, { hint: 'try again' });
}
