/** Merge commits made without a checkout. The same input gives the same commit id. */
import type { Git } from '../../git/git.ts';
import { AUTHOR, commitTree, isAncestor, mergeTrees, treeOf } from '../../git/plumbing.ts';

type Merge =
  /** `contained`: `ours` contains it already. */
  | { readonly kind: 'merged' | 'contained'; readonly commit: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

interface Sides {
  readonly ours: string;
  readonly theirs: string;
  readonly message: string;
  /**
   * Merges only the change from this commit to `theirs`, whatever else they share: a dependency may have
   * been rewritten, and then `ours` must lose what it took of the old version.
   */
  readonly before?: string;
}

/** The commit's time is that of its newer side: repeated after a crash, it gives the same commit. */
export async function mergeCommit(
  git: Git,
  { ours, theirs, message, before }: Sides,
): Promise<Merge> {
  if (await isAncestor(git, theirs, ours)) return { kind: 'contained', commit: ours };
  // git merges from the newest common ancestor: make two commits whose only one is `before`.
  const sideOf = async (side: string): Promise<string> =>
    before === undefined
      ? side
      : commitTree(git, {
          tree: await treeOf(git, side),
          parents: [before],
          message: 'a side of a merge',
          author: AUTHOR,
          at: new Date(0),
        });
  const { tree, conflicts } = await mergeTrees(git, await sideOf(ours), await sideOf(theirs));
  if (conflicts.length > 0) return { kind: 'conflict', paths: conflicts };
  const parents = [ours, theirs];
  const at = await newest(git, parents);
  return {
    kind: 'merged',
    commit: await commitTree(git, { tree, parents, message, author: AUTHOR, at }),
  };
}

async function newest(git: Git, commits: readonly string[]): Promise<Date> {
  const args = ['show', '--no-patch', '--no-notes', '--format=%ct', ...commits, '--'];
  const seconds = (await git.text(args)).trim().split('\n').map(Number);
  return new Date(Math.max(...seconds) * 1000);
}
