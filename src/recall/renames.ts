/** Where files are after they were moved, in the last commits or in the working tree. */
import { existsSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import type { Git } from '../base/git/git.ts';
import { standsAt } from './anchors.ts';

/** What a note says of each file, by its path: its anchor. */
export type LostFiles = ReadonlyMap<string, string>;

/** The most changed files that are searched for the lines of a lost one. */
const MOST_SEARCHED = 200;

/**
 * A file that git does not know to be renamed is where its lines are among the changed and new files.
 *
 * @returns the new path of a path, or the same one.
 */
export async function movedPaths(
  git: Git,
  root: string,
  lost: LostFiles,
  commits: number,
): Promise<(path: string) => string> {
  const renames = ['-M', '--diff-filter=R', '--name-status', '-z'];
  const changes = ['status', '--porcelain', '-z', '--untracked-files=all', '--find-renames'];
  // There may be no commit yet.
  const [status = [], log = []] = [
    await git.maybe(changes, [128]),
    await git.maybe(['log', `-${commits}`, '--format=', ...renames], [128]),
  ].map((it) => it?.toString().split('\0'));
  const moved = new Map<string, string>();
  const changed: string[] = [];
  for (let at = 0; at < status.length; at++) {
    const path = status[at]?.slice(3) ?? '';
    changed.push(path);
    // The earlier path follows.
    if (/^.?[RC]/.test(status[at] ?? '')) moved.set(status[++at] ?? '', path);
  }
  log.forEach((it, at) => {
    const [from = '', to = ''] = log.slice(at + 1, at + 3);
    if (/^\n*R\d+$/.test(it) && !moved.has(from)) moved.set(from, to);
  });
  const byContent = (path: string): string | undefined => {
    const alike = (it: string) =>
      basename(it) === basename(path) ? 0 : extname(it) === extname(path) ? 1 : 2;
    const anchor = lost.get(path);
    if (anchor === undefined) return undefined;
    const near = changed.toSorted((a, b) => alike(a) - alike(b)).slice(0, MOST_SEARCHED);
    return near.find((it) => it !== path && standsAt(root, it, anchor));
  };
  const renamed = (path: string, left = 10): string => {
    const to = moved.get(path);
    const stays = to === undefined || left === 0 || existsSync(join(root, path));
    return stays ? path : renamed(to, left - 1);
  };
  const places = new Map(
    [...lost.keys()].map((path) => {
      const to = renamed(path);
      return [path, existsSync(join(root, to)) ? to : (byContent(path) ?? path)];
    }),
  );
  return (path) => places.get(path) ?? path;
}
