/** Where files are after they were moved, in the last commits or in the working tree. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Git } from '../base/git/git.ts';
import { anchorsAt } from './anchors.ts';

/** The paths of files that are gone, with the anchors of a note in them. */
export type LostFiles = ReadonlyMap<string, string>;

/** The most files that are searched for the lines of lost ones. */
const MOST_SEARCHED = 200;

/**
 * A file that git does not know to be renamed is where its lines are: in one of the same name, or in a new or changed one.
 *
 * @returns the new path of a path, or the same one.
 */
export async function movedPaths(
  git: Git,
  root: string,
  lost: LostFiles,
  commits: number,
): Promise<(path: string) => string> {
  const listed = async (...args: readonly string[]) =>
    // There may be no commit yet.
    (await git.maybe([...args, '-z'], [128]))?.toString().split('\0') ?? [];
  const renames = ['-M', '--diff-filter=R', '--name-status'];
  const names = [
    ...(await listed('diff', 'HEAD', ...renames)),
    ...(await listed('log', `-${commits}`, '--format=', ...renames)),
  ];
  const moved = new Map<string, string>();
  names.forEach((it, at) => {
    const [from = '', to = ''] = names.slice(at + 1, at + 3);
    if (/^\n*R\d+$/.test(it) && !moved.has(from)) moved.set(from, to);
  });
  const placeOf = (path: string, left = 10): string | undefined => {
    const to = moved.get(path);
    if (existsSync(join(root, path))) return path;
    return to === undefined || left === 0 ? undefined : placeOf(to, left - 1);
  };
  const places = new Map([...lost.keys()].map((path) => [path, placeOf(path)]));
  const sought = [...lost].filter(([path]) => places.get(path) === undefined);
  if (sought.length === 0) return (path) => places.get(path) ?? path;
  const status = await listed('status', '--porcelain', '--untracked-files=all', '--no-renames');
  const changed = status.map((it) => it.slice(3));
  const files = await listed('ls-files');
  const called = new Set(sought.map(([path]) => basename(path)));
  const near = [...files, ...changed].filter((it) => called.has(basename(it)));
  const anchors = new Set(sought.map(([, anchor]) => anchor));
  [...near, ...changed].slice(0, MOST_SEARCHED).forEach((file, at) => {
    const there = anchorsAt(root, file, anchors);
    for (const [path, anchor] of sought) {
      const isMeant = at >= near.length || basename(file) === basename(path);
      if (isMeant && there.has(anchor)) places.set(path, places.get(path) ?? file);
    }
  });
  return (path) => places.get(path) ?? path;
}
