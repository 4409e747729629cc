import { UsageError } from '../errors.ts';
import { nearest } from '../text/nearest.ts';
import type { Git } from './git.ts';

/**
 * The remote that is meant: the named one, else the one that the current branch goes to, else
 * `origin`, else the only one.
 *
 * @throws {UsageError} if there is no such remote.
 */
export async function remoteMeant(git: Git, named: string | undefined): Promise<string> {
  const remotes = (await git.text(['remote'])).split('\n').filter(Boolean);
  if (named !== undefined) {
    if (remotes.includes(named)) return named;
    const meant = nearest(named, remotes);
    throw new UsageError(`there is no remote \`${named}\``, {
      hint: meant === undefined ? 'see `git remote`' : `did you mean \`${meant}\`?`,
    });
  }
  const branch = (await git.maybe(['symbolic-ref', '--quiet', '--short', 'HEAD']))?.trim();
  const own =
    branch === undefined ? undefined : await git.maybe(['config', `branch.${branch}.remote`]);
  const found = [own?.trim(), 'origin', remotes.length === 1 ? remotes[0] : undefined].find(
    (it) => it !== undefined && remotes.includes(it),
  );
  if (found !== undefined) return found;
  throw new UsageError('which remote is meant is not clear', { hint: 'name it with `--remote`' });
}
