/** A lane that begins with the work of an existing branch, on a branch of its own. */
import { UsageError } from '../../base/errors.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { refsAt } from '../../base/git/plumbing.ts';
import { listWorktrees } from '../../base/git/worktrees.ts';
import { nearest } from '../../base/text/nearest.ts';
import { gitOfRun, type LaneContext } from '../../lanes/spec/context.ts';
import type { Run } from '../../store/lanes.ts';

/**
 * @param name the name of a branch, or of a remote-tracking one.
 * @throws {UsageError} if there is none, or it has no commit that the run lacks.
 */
export async function branchWork(context: LaneContext, run: Run, name: string) {
  const git = gitOfRun(context, run);
  const names = [`refs/heads/${name}`, `refs/remotes/${name}`];
  const refs = await refsAt(git, ...names);
  const ref = names.find((it) => refs.has(it));
  const headSha = refs.get(ref ?? '');
  if (!ref || !headSha) {
    const all = await git.text(['branch', '--all', '--format=%(refname:short)']);
    const meant = nearest(name, all.split('\n'));
    throw new UsageError(`there is no branch \`${name}\``, {
      hint: meant === undefined ? 'see `git branch --all`' : `did you mean \`${meant}\`?`,
    });
  }
  const baseSha = (await git.maybe(['merge-base', run.baseSha, headSha]))?.trim();
  if (baseSha === undefined || baseSha === headSha) {
    const what = baseSha === undefined ? 'has no commit in common' : 'has no commit of its own';
    throw new UsageError(`\`${name}\` ${what} with the base of run ${run.name}`, {
      hint: `see \`git log ${run.baseSha.slice(0, 12)}..${name}\``,
    });
  }
  const log = ['log', '--reverse', '--no-merges', '--no-show-signature', '--format=- %s'];
  const subjects = await git.text([...log, `${baseSha}..${headSha}`]);
  const checkedOut = (await listWorktrees(git)).find((it) => it.branch === ref)?.path;
  const changes =
    checkedOut && (await gitIn(checkedOut, context.env).text(['status', '--porcelain']));
  return {
    baseSha,
    headSha,
    spec: { branch: ref, desc: `Work of branch ${name}\n\n${subjects}`.trim() },
    uncommittedIn: changes ? checkedOut : undefined,
  };
}
