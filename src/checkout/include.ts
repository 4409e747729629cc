/**
 * Copies files that are not in git, but that the project needs, from the main checkout into a worktree.
 * `.worktreeinclude` names them in the syntax of `.gitignore`.
 */
import {
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { attempt } from '../base/errors.ts';
import { isInside, linkOnTheWay } from '../base/files/inside.ts';
import { gitIn } from '../base/git/git-in.ts';
import { ignoredAmong, ignoredEntries, untrackedMatching } from '../base/git/paths.ts';

/**
 * `not-ignored`: the file would become part of the lane's work. `leads-out`: a link leads out of
 * the checkout, or nowhere. `no-folder`: a part of the path in the worktree is no folder.
 */
type SkipReason = 'not-ignored' | 'leads-out' | 'no-folder' | 'no-file';

/**
 * Existing files are kept.
 *
 * @param mainRoot root of the main checkout.
 * @param otherwise the ignored files that are copied if `.worktreeinclude` is missing.
 */
export async function copyIncluded(
  mainRoot: string,
  worktree: string,
  env: NodeJS.ProcessEnv,
  otherwise?: RegExp,
) {
  const copied: string[] = [];
  const skipped: { readonly path: string; readonly why: SkipReason }[] = [];
  const patterns = join(mainRoot, '.worktreeinclude');
  const git = gitIn(mainRoot, env);
  let paths: readonly string[] = [];
  if (existsSync(patterns)) paths = await untrackedMatching(git, patterns);
  else if (otherwise !== undefined && existsSync(join(mainRoot, '.git')))
    paths = (await ignoredEntries(git)).filter((path) => otherwise.test(path));
  // Writing never goes through a link or a file.
  const isReachable = (path: string): boolean =>
    linkOnTheWay(worktree, dirname(join(worktree, path))) === undefined;
  // The ignore rules of the worktree count; they may be older than those of the main checkout.
  const ignored = await ignoredAmong(gitIn(worktree, env), paths.filter(isReachable));
  for (const path of paths) {
    const copy = ignored.has(path) ? copyOne : () => 'not-ignored' as const;
    const outcome = isReachable(path) ? copy(mainRoot, worktree, path) : 'no-folder';
    if (outcome === 'copied') copied.push(path);
    else if (outcome !== 'present') skipped.push({ path, why: outcome });
  }
  return { paths, copied, skipped };
}

function copyOne(
  mainRoot: string,
  worktree: string,
  path: string,
): SkipReason | 'copied' | 'present' {
  const from = join(mainRoot, path);
  const to = join(worktree, path);
  const stats = lstatSync(from, { throwIfNoEntry: false });
  if (!stats?.isFile() && !stats?.isSymbolicLink()) return 'no-file';
  mkdirSync(dirname(to), { recursive: true });
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) return 'present';
  if (stats.isSymbolicLink()) {
    const target = attempt(() => realpathSync(from));
    if (target === undefined || !isInside(realpathSync(mainRoot), target)) return 'leads-out';
    symlinkSync(relative(realpathSync(dirname(from)), target), to);
  } else copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  return 'copied';
}
