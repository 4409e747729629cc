/** Pushes the branch on which a run has landed. */
import { GitError } from '../../base/git/git.ts';
import { remoteMeant } from '../../base/git/remotes.ts';
import { shortRef } from '../../base/text/short-ref.ts';
import type { Run } from '../../store/runs.ts';
import type { LaneContext } from '../spec/context.ts';
import { gitOfRun } from '../spec/repository.ts';
import { ForgeError } from './forge.ts';
import { pushBranch } from './push.ts';

export type PushedTarget =
  | { readonly state: 'pushed'; readonly remote: string; readonly branch: string }
  /** The remote protects the target: the commit is on another branch, from which `hint` opens a pull request. */
  | (Readonly<Record<'remote' | 'branch' | 'why' | 'hint', string>> & { readonly state: 'beside' })
  /** By the gate, or because the remote has commits that the push lacks. */
  | { readonly state: 'held'; readonly why: string; readonly hint: string };

/** @throws {GitError} if the remote cannot be reached. */
export async function pushTarget(
  context: LaneContext,
  run: Run,
  sha: string,
): Promise<PushedTarget> {
  const remote = await remoteMeant(gitOfRun(context, run), undefined);
  const target = shortRef(run.targetRef);
  const beside = `lanehold/${run.name}`;
  try {
    await pushBranch(context, run, { remote, branch: target, sha });
    return { state: 'pushed', remote, branch: target };
  } catch (error) {
    if (error instanceof ForgeError) {
      const hint = error.hint ?? `then \`git push ${remote} ${target}\``;
      return { state: 'held', why: error.message, hint };
    }
    if (!(error instanceof GitError)) throw error;
    await pushBranch(context, run, { remote, branch: beside, sha });
    const hint = `gh pr create --head ${beside} --base ${target}`;
    return { state: 'beside', remote, branch: beside, why: error.message, hint };
  }
}
