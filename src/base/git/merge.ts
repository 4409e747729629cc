/** Merges without a checkout, in which equal input gives an equal commit id; fast-forwards of checked-out branches. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { asOptions, type Git, reasonIn } from './git.ts';
import { CHECKOUT_MS, gitIn } from './git-in.ts';
import { splitNul } from './paths.ts';
import { AUTHOR, commitTexts, commitTree, isAncestor, mergeTrees, treeOf } from './plumbing.ts';

export type Merge =
  | { readonly kind: 'merged'; readonly commit: string }
  /** The files in `tree` have git's conflict markers. */
  | { readonly kind: 'conflict'; readonly tree: string; readonly paths: readonly string[] };

export interface Sides {
  readonly ours: string;
  readonly theirs: string;
  readonly message: string;
}

/**
 * Merges two commits. A repetition after a crash gives the same commit; the result is `ours` if
 * that already contains the other side.
 *
 * @param before merges only the change from this commit to `theirs`, whatever else they share: a
 * dependency may have been rewritten, and then `ours` must lose what it took of the old version.
 */
export async function mergeCommit(git: Git, sides: Sides, before?: string): Promise<Merge> {
  const { ours, theirs } = sides;
  const isContained = () => isAncestor(git, theirs, ours);
  if (before !== undefined && (await isContained())) return { kind: 'merged', commit: ours };
  const since = before === undefined ? sides : await sidesSince(git, sides, before);
  const { tree, conflicts } = await mergeTrees(git, since.ours, since.theirs);
  if (conflicts.length > 0) return { kind: 'conflict', tree, paths: conflicts };
  const isSame = before === undefined && tree === (await treeOf(git, ours));
  if (isSame && (await isContained())) return { kind: 'merged', commit: ours };
  return { kind: 'merged', commit: await commitMerge(git, tree, sides) };
}

/** Two commits with the content of the sides, whose one ancestor is `before`: git takes the newest one in common. */
export async function sidesSince(git: Git, sides: Sides, before: string): Promise<Sides> {
  const sideOf = async (side: string): Promise<string> =>
    commitTree(git, {
      tree: await treeOf(git, side),
      parents: [before],
      message: 'a side of a merge',
      author: AUTHOR,
      at: new Date(0),
    });
  return { ...sides, ours: await sideOf(sides.ours), theirs: await sideOf(sides.theirs) };
}

/** A merge commit with this tree. A repetition gives the same commit: its time is that of its newer side. */
export async function commitMerge(git: Git, tree: string, sides: Sides): Promise<string> {
  const { ours, theirs, message } = sides;
  const commits = await commitTexts(git, [ours, theirs]);
  const seconds = commits.map((it) => Number(/^committer .* (\d+) /m.exec(`${it}`)?.[1]));
  const at = new Date(Math.max(...seconds) * 1000);
  return commitTree(git, { tree, parents: [ours, theirs], message, author: AUTHOR, at });
}

export async function containsAll(
  git: Git,
  tip: string,
  shas: readonly string[],
): Promise<boolean> {
  for (const sha of shas) if (!(await isAncestor(git, sha, tip))) return false;
  return true;
}

type FastForward =
  | { readonly kind: 'moved' }
  /** `files` are in the way; `why` is git's message. */
  | { readonly kind: 'blocked'; readonly files: readonly string[]; readonly why: string };

/** Settings for git's own rules, without the user's hooks and settings for manual merges. */
const QUIETLY = asOptions(['submodule.recurse=false', 'gc.auto=0', 'maintenance.auto=false']);
/** The last option keeps ignored files from being lost. */
const MERGE =
  'merge --ff-only --quiet --no-stat --no-autostash --no-verify-signatures --no-overwrite-ignore';

/** Moves a checked-out branch with its index and files, if git finds no local change in the way. */
export async function fastForward(
  path: string,
  to: string,
  env: NodeJS.ProcessEnv,
): Promise<FastForward> {
  const git = gitIn(path, env, { timeoutMs: CHECKOUT_MS });
  const lost = await replacedSubmodules(git, to);
  if (lost.length > 0) return { kind: 'blocked', files: lost, why: 'a submodule would be lost' };
  const { exitCode, stderr } = await git.attempt([...QUIETLY, ...MERGE.split(' '), to]);
  if (exitCode === 0) return { kind: 'moved' };
  // git prints each path in a line of its own, unquoted, below the sentence about them.
  const files = stderr.split('\n').flatMap((line) => (line[0] === '\t' ? line.slice(1) : []));
  return { kind: 'blocked', files: files.sort(), why: reasonIn(stderr) || `exit code ${exitCode}` };
}

/** The submodules that a file will replace: git would remove the folder together with its repository. */
async function replacedSubmodules(git: Git, to: string): Promise<string[]> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--diff-filter=T', 'HEAD', to, '--'];
  const fields = splitNul(await git.text(args));
  const isSubmodule = (at: number) => at % 2 === 1 && fields[at - 1]?.startsWith(':160000 ');
  return fields.filter((it, at) => isSubmodule(at) && existsSync(join(git.directory, it, '.git')));
}
