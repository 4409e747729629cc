/** Merges two commits without a working tree. */
import { ExplainedError } from '../errors.ts';
import { type Git, gitFailure, UNATTENDED } from './git.ts';
import { splitNul } from './paths.ts';

export interface Merged {
  /** Contains conflict markers where the merge has conflicts. */
  readonly tree: string;
  /** Paths with conflicts; empty if the merge is clean. */
  readonly conflicts: readonly string[];
  /** git's own sentences about the conflicts, a line each. */
  readonly messages: string;
}

export class OldGitError extends ExplainedError {
  override readonly code = 'OLD_GIT';
}

/**
 * The objects are written, no ref and no file is touched.
 *
 * @see https://git-scm.com/docs/git-merge-tree#OUTPUT
 * @throws {OldGitError} before git 2.38.
 * @throws {GitError} if a side is missing, or the two have no history in common.
 */
export async function mergeTrees(git: Git, ours: string, theirs: string): Promise<Merged> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--messages', ours, theirs];
  const outcome = await git.attempt([...UNATTENDED, ...args]);
  if (outcome.exitCode === 129) {
    throw new OldGitError('this git cannot merge without a working tree', {
      hint: 'install git 2.38 or newer',
    });
  }
  const [tree = '', ...rest] = splitNul(outcome.stdout);
  // A missing commit is exit code 1 as well, without a tree.
  if (outcome.exitCode > 1 || !/^[0-9a-f]{40,}$/.test(tree)) throw gitFailure(args, outcome);
  const end = rest.indexOf('');
  return {
    tree,
    conflicts: end === -1 ? rest : rest.slice(0, end),
    messages: outcome.exitCode === 0 || end === -1 ? '' : messagesIn(rest.slice(end + 1)),
  };
}

/** The fields are `<number of paths> <path>… <kind> <sentence>`; clean merges are left out. */
function messagesIn(fields: readonly string[]): string {
  const lines: string[] = [];
  for (let at = 0; at < fields.length; ) {
    const kind = at + Number(fields[at]) + 1;
    if (fields[kind] !== 'Auto-merging') lines.push((fields[kind + 1] ?? '').trimEnd());
    at = kind + 2;
  }
  return lines.join('\n');
}
