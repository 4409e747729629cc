/** Where smoke tests run: the working tree, or a temporary one of another revision. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../environment.ts';
import { gitIn } from '../git/git.ts';
import { projectPlace } from '../git/project.ts';
import type { Subject } from './comparison.ts';
import type { VerificationCheckout } from './verify.ts';
import type { Workspace } from './workspace.ts';

/** Calls `work` on the tree that holds `subject`; a temporary tree is gone afterwards. */
export async function withVerificationCheckout<T>(
  workspace: Workspace,
  subject: Subject,
  env: Environment,
  work: (checkout: VerificationCheckout) => Promise<T>,
): Promise<T> {
  const { git } = workspace;
  if (git === undefined || subject.kind !== 'revision') {
    const head = await git?.maybe(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
    return work({ workspace, tree: workspace, revision: head?.trim() ?? null });
  }
  const folder = join(realpathSync(mkdtempSync(join(tmpdir(), 'lanehold-verify-'))), 'tree');
  try {
    // No hook of the repository runs for a tree that nobody works in.
    await git.text([
      '-c',
      'core.hooksPath=/dev/null',
      'worktree',
      'add',
      '--quiet',
      '--detach',
      folder,
      subject.oid,
    ]);
    const tree = { ...workspace, place: projectPlace(folder), git: gitIn(folder, env) };
    return await work({ workspace, tree, revision: subject.oid });
  } finally {
    await git.maybe(['worktree', 'remove', '--force', '--force', folder], [1, 128]);
    rmSync(join(folder, '..'), { recursive: true, force: true });
    await git.maybe(['worktree', 'prune'], [1, 128]);
  }
}
