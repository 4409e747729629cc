/** Merge commits made without a checkout. The same input gives the same commit id. */
import type { Git } from '../../git/git.ts';
import { mergeTrees } from '../../git/merge-trees.ts';
import { AUTHOR, commitTree, isAncestor, treeOf } from '../../git/plumbing.ts';

export type Merge =
  | { readonly kind: 'merged'; readonly commit: string }
  /** `ours` contains it already. */
  | { readonly kind: 'contained'; readonly commit: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[]; readonly messages: string };

interface Sides {
  readonly ours: string;
  readonly theirs: string;
  readonly message: string;
}

/** The commit's time is that of its newer side: repeated after a crash, it gives the same commit. */
export async function mergeCommit(git: Git, { ours, theirs, message }: Sides): Promise<Merge> {
  if (await isAncestor(git, theirs, ours)) return { kind: 'contained', commit: ours };
  const { tree, conflicts, messages } = await mergeTrees(git, ours, theirs);
  if (conflicts.length > 0) return { kind: 'conflict', paths: conflicts, messages };
  const at = await newest(git, [ours, theirs]);
  const commit = await commitTree(git, {
    tree,
    parents: [ours, theirs],
    message,
    author: AUTHOR,
    at,
  });
  return { kind: 'merged', commit };
}

/**
 * Merges the change from `before` to `theirs` into `ours`, whatever else the three share: a dependency
 * may have been rewritten, and then `ours` must lose what it took of the old version.
 */
export async function mergeChange(
  git: Git,
  change: Sides & { readonly before: string },
): Promise<Merge> {
  const { before, ours, theirs, message } = change;
  if (await isAncestor(git, theirs, ours)) return { kind: 'contained', commit: ours };
  const parents = [before];
  const stamp = { parents, message: 'a side of a merge', author: AUTHOR, at: new Date(0) };
  // git merges from the newest common ancestor: make two commits whose only one is `before`.
  const [mine, other] = await Promise.all(
    [ours, theirs].map(async (side) =>
      commitTree(git, { ...stamp, tree: await treeOf(git, side) }),
    ),
  );
  const { tree, conflicts, messages } = await mergeTrees(git, mine ?? ours, other ?? theirs);
  if (conflicts.length > 0) return { kind: 'conflict', paths: conflicts, messages };
  const at = await newest(git, [ours, theirs]);
  const author = AUTHOR;
  const commit = await commitTree(git, { tree, parents: [ours, theirs], message, author, at });
  return { kind: 'merged', commit };
}

async function newest(git: Git, commits: readonly string[]): Promise<Date> {
  const args = ['show', '--no-patch', '--no-notes', '--format=%ct', ...commits, '--'];
  const seconds = (await git.text(args)).trim().split('\n').map(Number);
  return new Date(Math.max(...seconds) * 1000);
}
