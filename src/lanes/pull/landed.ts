/** How the work of a pull request came to the branch that it was merged into: told by the tree, else by the patch. */
import { type Git, GitError } from '../../base/git/git.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { isAncestor, mergeTrees, treeOf } from '../../base/git/plumbing.ts';

type Merged = Readonly<Record<'remote' | 'base' | 'headSha' | 'mergeSha', string>>;

/** `squashed, by the tree`: for people. @param git of the repository, which fetches what it lacks. */
export async function howLanded(
  git: Git,
  { mergeSha, ...where }: Omit<Merged, 'mergeSha'> & { readonly mergeSha: string | null },
): Promise<string> {
  if (mergeSha === null) return 'merged, as the forge says';
  const merged = { ...where, mergeSha };
  try {
    await fetchMerged(git, merged);
    return (await recognised(git, merged)) ?? 'merged with other content, as the forge says';
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    return 'merged, as the forge says';
  }
}

const QUIETLY = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head'];

/** The branch, so that its remote-tracking branch is up to date; the commit, where it has been deleted. */
async function fetchMerged({ directory, env }: Git, { remote, base, mergeSha }: Merged) {
  const git = gitIn(directory, env, { network: true });
  const branch = await git.attempt([...QUIETLY, '--', remote, `refs/heads/${base}`]);
  const [there] = await git.objects([`${mergeSha}^{commit}`]);
  if (branch.exitCode !== 0 || there === undefined) {
    await git.text([...QUIETLY, '--', remote, mergeSha]);
  }
}

async function recognised(git: Git, { headSha, mergeSha }: Merged): Promise<string | undefined> {
  if (await isAncestor(git, headSha, mergeSha)) return 'merged, with its commits';
  const parent = (await git.text(['rev-parse', `${mergeSha}^`])).trim();
  const { tree, conflicts } = await mergeTrees(git, parent, headSha);
  if (conflicts.length === 0 && tree === (await treeOf(git, mergeSha))) {
    return `${await squashOrRebase(git, headSha, mergeSha)}, by the tree`;
  }
  if ((await equivalents(git, headSha, mergeSha)).every(Boolean)) return 'rebased, by the patch';
  const start = (await git.text(['merge-base', mergeSha, headSha])).trim();
  const same = (await patchId(git, start, headSha)) === (await patchId(git, parent, mergeSha));
  return same ? 'squashed, by the patch' : undefined;
}

/** Of one commit both give the same; a squash has a message of its own. */
async function squashOrRebase(git: Git, headSha: string, mergeSha: string): Promise<string> {
  const commits = await equivalents(git, headSha, mergeSha);
  const subject = (sha: string) => git.text(['show', '--no-patch', '--format=%s', sha]);
  const isRebased =
    commits.every(Boolean) &&
    (commits.length > 1 || (await subject(headSha)) === (await subject(mergeSha)));
  return isRebased ? 'rebased' : 'squashed';
}

/** For each commit of the head whether one with the same patch was merged. */
async function equivalents(git: Git, headSha: string, mergeSha: string): Promise<boolean[]> {
  const lines = (await git.text(['cherry', mergeSha, headSha])).trim().split('\n');
  return lines.map((line) => line.startsWith('-'));
}

const DIFF = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--full-index', '--binary'];

async function patchId(git: Git, from: string, to: string): Promise<string> {
  const diff = await git.bytes([...DIFF, from, to]);
  return (await git.text(['patch-id', '--stable'], diff)).split(' ')[0] ?? '';
}
