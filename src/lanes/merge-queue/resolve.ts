/**
 * Ways to merge what git's usual merge leaves in conflict, the most careful first. None of them knows whether
 * its result is right: that is for the validations to say, and where they fail the next way is tried.
 */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withTemporaryTree } from '../../checkout/temporary-tree.ts';
import type { Environment } from '../../environment.ts';
import { onPath } from '../../files/executable.ts';
import { type Git, gitIn, UNATTENDED } from '../../git/git.ts';
import { mergeTrees } from '../../git/plumbing.ts';
import { keepBoth, losesTests, mergeBy } from './keep-both.ts';
import { commitMerge, type Merge, mergeCommit, type Sides } from './merge.ts';

interface Conflict {
  readonly git: Git;
  readonly env: Environment;
  readonly sides: Omit<Sides, 'before'>;
  readonly paths: readonly string[];
}

/** Returns the merged tree; `undefined` if conflicts are left. */
type Resolver = (conflict: Conflict) => Promise<string | undefined>;

const RESOLVERS = {
  'renamed folders followed': followRenames,
  'resolved as recorded before': resolveAsRecorded,
  'merged by mergiraf': mergeByStructure,
  'both additions kept': ({ git, sides, paths }) => keepBoth(git, sides, paths),
} satisfies Readonly<Record<string, Resolver>>;

/** How a conflict was resolved, in words for people. */
export type Way = keyof typeof RESOLVERS;
const WAYS = Object.keys(RESOLVERS) as Way[];

export interface Resolution {
  readonly way: Way;
  /** Files that git could not merge. */
  readonly paths: readonly string[];
}

export type Resolved = Merge & {
  /** Absent where git has merged everything. */
  readonly resolution?: Resolution;
};

/**
 * A merge commit by git alone, or by the first way that leaves no conflict.
 *
 * @param refused ways whose result did not pass.
 */
export async function mergeOrResolve(
  { git, env, sides }: Omit<Conflict, 'paths'>,
  refused: ReadonlySet<Way> = new Set(),
): Promise<Resolved> {
  const merge = await mergeCommit(git, sides);
  if (merge.kind !== 'conflict') return merge;
  const { paths } = merge;
  const found = await resolve({ git, env, sides, paths }, refused);
  if (found === undefined) return merge;
  const { tree, way } = found;
  const message = `${sides.message}\n\nConflict in ${paths.join(', ')}: ${way}`;
  const commit = await commitMerge(git, tree, { ...sides, message });
  return { kind: 'merged', commit, resolution: { way, paths } };
}

/** @returns the merged tree, and how it was made. */
export async function resolve(
  conflict: Conflict,
  refused: ReadonlySet<Way> = new Set(),
): Promise<{ readonly tree: string; readonly way: Way } | undefined> {
  for (const way of WAYS) {
    if (refused.has(way)) continue;
    const tree = await RESOLVERS[way](conflict);
    if (tree !== undefined) return { tree, way };
  }
  return undefined;
}

/** A file that was added to a folder while the other side renamed that; and other line ends. */
async function followRenames({ git, sides: { ours, theirs } }: Conflict) {
  const config = ['-c', 'merge.directoryRenames=true', '-c', 'merge.renormalize=true'];
  const { tree, conflicts } = await mergeTrees(git, ours, theirs, config);
  return conflicts.length === 0 ? tree : undefined;
}

const CHECKOUT_MS = 600_000;

/**
 * As a person has resolved the same conflict in this repository, if git was told to record that.
 *
 * @see https://git-scm.com/docs/git-rerere
 */
async function resolveAsRecorded({ git, env, sides, paths }: Conflict) {
  const folder = (await git.text(['rev-parse', '--git-path', 'rr-cache'])).trim();
  if (!existsSync(join(git.directory, folder)) && !existsSync(folder)) return undefined;
  const { ours, theirs } = sides;
  const slow = gitIn(git.directory, env, { timeoutMs: CHECKOUT_MS });
  const place = { oid: ours, around: join(tmpdir(), 'lanehold-merge-'), name: 'merge' };
  return withTemporaryTree(slow, place, async (root) => {
    const there = gitIn(root, env, { timeoutMs: CHECKOUT_MS });
    const config = [...UNATTENDED, '-c', 'rerere.enabled=true', '-c', 'rerere.autoUpdate=true'];
    await there.attempt([...config, 'merge', '--quiet', '--no-commit', '--no-ff', theirs]);
    const left = await there.text(['ls-files', '--unmerged']);
    if (left !== '') return undefined;
    const tree = (await there.text(['write-tree'])).trim();
    return (await losesTests(git, sides, paths, tree)) ? undefined : tree;
  });
}

/** By the syntax of the files. @see https://mergiraf.org */
async function mergeByStructure({ git, env, sides, paths }: Conflict) {
  if (onPath('mergiraf', env) === undefined) return undefined;
  const driver = 'merge.mergiraf.driver=mergiraf merge --git %O %A %B -p %P -l %L';
  const tree = await mergeBy('mergiraf', git, sides, paths, ['-c', driver]);
  if (tree === undefined || (await losesTests(git, sides, paths, tree))) return undefined;
  return tree;
}
