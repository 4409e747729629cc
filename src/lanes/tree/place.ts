/** The places of lanes' worktrees, and whether a folder is one. */
import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ExplainedError } from '../../base/errors.ts';
import { isInside, linkOnTheWay } from '../../base/files/inside.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { type ProjectPlace, projectPlace } from '../../base/git/project.ts';
import type { RegisteredWorktree } from '../../base/git/worktrees.ts';
import { shortHash } from '../../base/process/with-lock.ts';

/** Marks locks and branches of lanes; other tools respect locked worktrees. */
export const MARK = 'lanehold:';

export interface Placed {
  readonly path: string;
  readonly root: string;
  readonly repository: ProjectPlace;
}

type PlaceWish = Omit<Placed, 'path'> & Readonly<Record<'run' | 'lane', string>>;

/** `<root>/<repository>-<hash>/<run>/<lane>`, with links in the root resolved. */
export function worktreePlace({ root, repository, run, lane }: PlaceWish): string {
  makePrivateFolder(root);
  const { identity } = repository;
  const folder = basename(basename(identity) === '.git' ? dirname(identity) : identity);
  const readable = folder.replaceAll(/[^A-Za-z0-9._-]+/g, '-').slice(0, 40);
  const project = `${readable}-${shortHash(identity).slice(0, 8)}`;
  return join(realpathSync(root), project, run, lane);
}

/**
 * Refuses a path that cannot be the worktree of a lane, whether it exists or not.
 *
 * @throws {ExplainedError} with the reason.
 */
export function assertPlace(
  { path, root, repository }: Placed,
  registered: readonly RegisteredWorktree[],
): void {
  const real = realpathSync(root);
  if (resolve(path) !== path || !isInside(real, path)) {
    const hint = 'set `lanes.worktrees` to the folder they are in';
    throw refused(path, `it is not below ${real}`, hint);
  }
  const link = linkOnTheWay(real, path);
  if (link !== undefined) throw refused(path, `${link} is no plain folder`, 'move it away');
  const main = registered[0]?.path;
  const trees = [repository.identity, ...registered.map((it) => it.path)];
  const around = path === main ? main : trees.find((it) => isInside(it, path));
  if (around === undefined) return;
  const hint = 'set `lanes.worktrees` in your config to a folder outside of the repository';
  throw refused(path, `it is in ${around}`, hint);
}

/** The git directory of a linked working tree of this very repository. */
export function linkedGitDir(path: string, repository: ProjectPlace): string | { why: string } {
  const dotGit = lstatSync(join(path, '.git'), { throwIfNoEntry: false });
  if (dotGit === undefined) return { why: 'it has no `.git`' };
  if (!dotGit.isFile()) return { why: 'it is a repository of its own' };
  const found = projectPlace(path);
  if (found.root !== path || found.gitDir === undefined) return { why: 'its `.git` names nothing' };
  if (found.identity !== repository.identity) {
    return { why: `it belongs to the repository ${found.identity}` };
  }
  return found.gitDir;
}

export const hasContent = (folder: string): boolean =>
  existsSync(folder) && readdirSync(folder).length > 0;

export function refused(path: string, why: string, hint: string): ExplainedError {
  const code = 'WORKTREE_REFUSED';
  return new ExplainedError(`${path} cannot be the lane's worktree: ${why}`, { code, hint });
}
