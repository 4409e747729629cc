import { UsageError } from '../errors.ts';
import type { Git } from './git.ts';

/** The commit that a revision names. @throws {UsageError} if it names none. */
export async function commitOf(git: Git | undefined, revision: string): Promise<string> {
  if (git === undefined) {
    throw new UsageError('this folder is not in a git repository, so it has no revisions', {
      hint: 'leave the revision out, or give `--project <repository>`',
    });
  }
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const oid = await git.maybe(args, [1, 128]);
  if (oid !== undefined) return oid.trim();
  throw new UsageError(`\`${revision}\` is no commit in this repository`, {
    hint: 'in a shallow clone, fetch more history first: `git fetch --unshallow`',
  });
}
