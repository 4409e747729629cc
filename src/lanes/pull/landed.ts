/** How the work of a pull request came to its base: recognised by the tree, else by the patch. */
import { type Git, GitError } from '../../base/git/git.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { DIFF, isAncestor, mergeTrees, treeOf } from '../../base/git/plumbing.ts';

type Merged = Readonly<Record<'remote' | 'base' | 'headSha' | 'mergeSha', string>>;

/** A text for people: `squashed, by the tree`. @param git fetches missing commits. */
export async function howLanded(git: Git, merged: Merged): Promise<string> {
  try {
    await fetchMerged(git, merged);
    return (await recognised(git, merged)) ?? 'merged with other content, as the forge says';
  } catch (error) {
    if (error instanceof GitError) return 'merged, as the forge says';
    throw error;
  }
}

const QUIETLY = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head'];

/** Fetches the merge with its branch, to update the remote-tracking branch, unless that was deleted. */
async function fetchMerged({ directory, env }: Git, { remote, base, mergeSha }: Merged) {
  const git = gitIn(directory, env, { network: true });
  await git.attempt([...QUIETLY, '--', remote, `refs/heads/${base}`]);
  const [there] = await git.objects([`${mergeSha}^{commit}`]);
  if (there === undefined) await git.text([...QUIETLY, '--', remote, mergeSha]);
}

async function recognised(git: Git, { headSha, mergeSha }: Merged): Promise<string | undefined> {
  if (await isAncestor(git, headSha, mergeSha)) return 'merged, with its commits';
  const line = async (...args: readonly string[]) => (await git.text(args)).trim();
  const parent = await line('rev-parse', `${mergeSha}^`);
  // One line for each commit of the head; `-` marks one whose patch was merged.
  const commits = (await line('cherry', mergeSha, headSha)).split('\n');
  const areThere = commits.every((it) => it.startsWith('-'));
  const { tree, conflicts } = await mergeTrees(git, parent, headSha);
  if (conflicts.length === 0 && tree === (await treeOf(git, mergeSha))) {
    // For a single commit a squash and a rebase give the same tree; a squash has a message of its own.
    const subject = (sha: string) => line('show', '--no-patch', '--format=%s', sha);
    const isSingle = commits.length === 1;
    const isRebased = !isSingle || (await subject(headSha)) === (await subject(mergeSha));
    return `${areThere && isRebased ? 'rebased' : 'squashed'}, by the tree`;
  }
  if (areThere) return 'rebased, by the patch';
  const patchId = async (from: string, to: string) => {
    const patch = await git.bytes([...DIFF, '--full-index', '--binary', from, to]);
    return (await git.text(['patch-id', '--stable'], patch)).split(' ')[0];
  };
  const start = await line('merge-base', mergeSha, headSha);
  const isSame = (await patchId(start, headSha)) === (await patchId(parent, mergeSha));
  return isSame ? 'squashed, by the patch' : undefined;
}
