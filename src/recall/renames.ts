/** Where files are after they were moved, in the last commits or in the working tree. */
import { existsSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { Git } from '../base/git/git.ts';
import type { ProjectPlace } from '../base/git/project.ts';
import { projectPaths } from '../base/git/project-files.ts';
import { anchorsAt } from './anchors.ts';

/** The paths of files that are gone, with the anchors of a note in them. */
export type LostFiles = ReadonlyMap<string, string>;

/** The most files that are searched for the lines of lost ones. */
const MOST_SEARCHED = 200;

const nameOf = (path: string): string => basename(path).toLowerCase();

/**
 * A file that git does not know to be renamed is where its lines are: in one of the same name, in a new or changed one,
 * or, where a new name was undone or there is no git, in another one of the same kind.
 *
 * @param git `undefined` for a folder without git.
 * @returns the new path of a path, or the same one.
 */
export async function movedPaths(
  git: Git | undefined,
  place: ProjectPlace,
  lost: LostFiles,
  commits: number,
): Promise<(path: string) => string> {
  const { root } = place;
  const listed = async (...args: readonly string[]) =>
    // There may be no commit yet.
    (await git?.maybe([...args, '-z'], [128]))?.toString().split('\0') ?? [];
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
  const files =
    git === undefined
      ? await projectPaths(git, place)
      : await listed('ls-files', '--cached', '--others', '--exclude-standard');
  const like = (part: (path: string) => string, of = files): string[] => {
    const parts = new Set(sought.map(([path]) => part(path)));
    return of.filter((it) => parts.has(part(it)));
  };
  const alike = like(extname);
  const all = new Set([...like(nameOf), ...changed, ...like(dirname, alike), ...alike]);
  const anchors = new Set(sought.map(([, anchor]) => anchor));
  for (const file of [...all].slice(0, MOST_SEARCHED)) {
    const left = sought.filter(([path]) => places.get(path) === undefined);
    if (left.length === 0) break;
    const there = anchorsAt(root, file, anchors);
    for (const [path, anchor] of left) if (there.has(anchor)) places.set(path, file);
  }
  return (path) => places.get(path) ?? path;
}
