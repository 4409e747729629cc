/** Removes the worktree of a lane if everything in it is preserved elsewhere. */
import { existsSync, lstatSync, readFileSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withScratchFolder } from '../../base/files/scratch-folder.ts';
import { checkpointTree, privateTree } from '../../base/git/checkpoint.ts';
import type { Git } from '../../base/git/git.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { dropWorktree, listWorktrees, type RegisteredWorktree } from '../../base/git/worktrees.ts';
import { withWorktreesLock } from '../../base/process/with-lock.ts';
import { hasOwnWork } from '../../checkout/submodules.ts';
import { repositoryGit } from '../spec/context.ts';
import { assertPlace, hasContent, linkedGitDir, MARK, type Placed } from './place.ts';

export interface Removal extends Placed {
  readonly locks: string;
  readonly env: NodeJS.ProcessEnv;
  /** Full names of refs that may preserve the content: the lane's branch, its checkpoint. */
  readonly keptBy: readonly string[];
}

/**
 * Removes a worktree only if nothing is lost: its files are those of one of the refs, and its commits are on some
 * branch. No attempt may be live in it. The branch stays.
 *
 * @returns why it was kept, as a clause; `undefined` if it is gone.
 */
export async function removeWorktree(removal: Removal): Promise<string | undefined> {
  return withWorktreesLock(removal.locks, removal.repository, async () => {
    const git = repositoryGit(removal.repository, removal.env);
    const list = await listWorktrees(git);
    const why = await reasonToKeep(git, removal, list);
    if (why !== undefined) return why;
    if (list.some((it) => it.path === removal.path)) await dropWorktree(git, removal.path);
    removeEmpty(removal);
    return undefined;
  });
}

async function reasonToKeep(git: Git, removal: Removal, list: readonly RegisteredWorktree[]) {
  const { path, repository } = removal;
  assertPlace(removal, list);
  const registered = list.find((it) => it.path === path);
  const isThere = hasContent(path);
  if (registered === undefined) return isThere ? 'git does not know it as a worktree' : undefined;
  const { locked, head } = registered;
  if (locked !== undefined && !locked.startsWith(MARK)) return `it is locked: ${locked}`;
  if (head !== undefined && !(await isReachable(git, head))) {
    return `no branch has its commit ${head}`;
  }
  if (!isThere) return undefined;
  const gitDir = linkedGitDir(path, repository);
  if (typeof gitDir !== 'string') return gitDir.why;
  return contentToKeep(git, removal, gitDir);
}

/** Whether a branch, a tag or a checkpoint has the commit; the worktree's own HEAD is removed with it. */
async function isReachable(git: Git, commit: string): Promise<boolean> {
  const args = ['for-each-ref', '--count=1', '--format=%(refname)', '--contains', commit];
  return (await git.text(args)) !== '';
}

async function contentToKeep(git: Git, { path, env, keptBy, repository }: Removal, gitDir: string) {
  if (existsSync(join(gitDir, 'modules'))) return 'it has submodules, with commits of their own';
  if (await hasOwnWork(gitIn(path, env), path)) return 'a submodule in it has work of its own';
  const taken = await withScratchFolder((folder) =>
    checkpointTree(privateTree(path, join(folder, 'index'), env, gitDir)),
  );
  const left = taken.leftOut.map((it) => it.path);
  const secrets = taken.denied.filter((it) => !isCopy(join(path, it), join(repository.root, it)));
  const only = [...left, ...secrets];
  if (only.length > 0) return `no checkpoint can keep ${only.slice(0, 5).join(', ')}`;
  const trees = await git.text(['for-each-ref', '--format=%(tree)', ...keptBy]);
  return trees.split('\n').includes(taken.tree) ? undefined : 'it has changes that no ref keeps';
}

function isCopy(file: string, of: string): boolean {
  const [one, two] = [file, of].map((it) => lstatSync(it, { throwIfNoEntry: false }));
  // The file was deleted in the worktree, so nothing is lost.
  if (one === undefined) return true;
  if (!one.isFile() || !two?.isFile() || one.size !== two.size) return false;
  return readFileSync(file).equals(readFileSync(of));
}

/** Removes the folder itself, and its empty parents, up to the root of all worktrees. */
function removeEmpty({ path, root }: Removal): void {
  for (let at = path; at.length > root.length && !hasContent(at); at = dirname(at)) {
    if (existsSync(at)) rmdirSync(at);
  }
}
