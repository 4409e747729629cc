/** Where files are after renames that git knows from the last commits and the working tree. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Git } from '../base/git/git.ts';

export async function renamedPaths(
  git: Git,
  root: string,
  commits: number,
): Promise<(path: string) => string> {
  const renames = ['-M', '--diff-filter=R', '--name-status', '-z'];
  // There may be no commit yet.
  const names = [
    await git.maybe(['diff', 'HEAD', ...renames], [128]),
    await git.maybe(['log', `-${commits}`, '--format=', ...renames], [128]),
  ].flatMap((it) => it?.toString().split('\0') ?? []);
  const moved = new Map<string, string>();
  names.forEach((it, at) => {
    const [from = '', to = ''] = names.slice(at + 1, at + 3);
    if (/^\n*R\d+$/.test(it) && !moved.has(from)) moved.set(from, to);
  });
  const placeOf = (path: string, left = 10): string => {
    const to = moved.get(path);
    const stays = to === undefined || left === 0 || existsSync(join(root, path));
    return stays ? path : placeOf(to, left - 1);
  };
  return placeOf;
}
