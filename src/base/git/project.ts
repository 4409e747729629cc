/**
 * Finds the project of a path. A repository and all its worktrees are one project; a nested
 * repository or submodule is a project of its own; so is a folder without git.
 *
 * Reads a few small files instead of starting git, because every hook needs it.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { attempt, ExplainedError } from '../errors.ts';
import { isInside } from '../files/inside.ts';

export interface ProjectPlace {
  /** Identifies the project: the resolved git common directory, or the folder itself. */
  readonly identity: string;
  /** Absolute, resolved root of this working tree. */
  readonly root: string;
  /** `bare`: a repository without a working tree; `root` is then the repository itself. */
  readonly kind: 'git' | 'bare' | 'folder';
  /** Git directory of this working tree; `undefined` without git. */
  readonly gitDir: string | undefined;
}

export class NoSuchFolderError extends ExplainedError {
  override readonly code = 'NO_SUCH_FOLDER';
}

/** The file that makes a folder without git a root for all its subfolders. */
const MARKER = 'lanehold.json';

const GITDIR = 'gitdir: ';

/** The places of this turn of the event loop by folder, because many functions ask for the place of one event. */
const seenThisTurn = new Map<string, ProjectPlace>();

/** @throws {NoSuchFolderError} if `directory` does not exist. */
export function projectPlace(directory: string): ProjectPlace {
  if (seenThisTurn.size === 0) setImmediate(() => seenThisTurn.clear());
  const place = seenThisTurn.get(directory) ?? placeAt(directory);
  seenThisTurn.set(directory, place);
  return place;
}

function placeAt(directory: string): ProjectPlace {
  const start = realFolder(directory);
  let marked: string | undefined;
  for (const folder of upwards(start)) {
    const found = repositoryAt(folder);
    if (found !== undefined) return found;
    if (marked === undefined && isFile(join(folder, MARKER))) marked = folder;
  }
  const root = marked ?? start;
  return { identity: root, root, kind: 'folder', gitDir: undefined };
}

/**
 * The place of a repository that is named by its git directory, as with `--git-dir`.
 *
 * @throws {NoSuchFolderError} if there is none.
 */
export function placeOfGitDir(path: string): ProjectPlace {
  const link = isFile(path) ? pathIn(path) : '';
  const named = link.startsWith(GITDIR) ? resolve(dirname(path), link.slice(GITDIR.length)) : path;
  const gitDir = realFolder(named);
  const back = join(gitDir, 'gitdir');
  // The git directory of a linked worktree is inside its repository and names the tree.
  if (isFile(back)) return workingTree(dirname(resolve(gitDir, pathIn(back))), gitDir);
  if (!looksLikeGitDir(gitDir)) {
    throw new NoSuchFolderError(`there is no repository at ${path}`, {
      hint: 'give the git directory of a repository',
    });
  }
  if (basename(gitDir) === '.git') return workingTree(dirname(gitDir), gitDir);
  return { identity: gitDir, root: gitDir, kind: 'bare', gitDir };
}

/** The place in which a git works. @throws {NoSuchFolderError} */
export const placeOfGit = ({
  directory,
  gitDir,
}: {
  directory: string;
  gitDir: string | undefined;
}) => (gitDir === undefined ? projectPlace(directory) : placeOfGitDir(gitDir));

/** What is checked out: the full name of a branch, even before its first commit, or a commit. */
export function branchAt({ gitDir, root }: ProjectPlace): string | undefined {
  const head = attempt(() => pathIn(join(gitDir ?? root, 'HEAD')));
  return head?.replace(/^ref: /, '');
}

/** The project of a folder in which a session works: without git, its subfolders belong to the folder of the session. */
export function placeFor(directory: string, session: ProjectPlace): ProjectPlace {
  const place = projectPlace(directory);
  const isSubfolder =
    place.kind === 'folder' && session.kind === 'folder' && isInside(session.root, place.root);
  return isSubfolder && !isFile(join(place.root, MARKER)) ? session : place;
}

/** True for the home folder and the root, which are never a project. */
export function isNoProject({ root }: ProjectPlace, home: string | undefined): boolean {
  return root === '/' || (home !== undefined && root === real(home));
}

function realFolder(directory: string): string {
  try {
    const real = realpathSync.native(directory);
    return statSync(real).isDirectory() ? real : dirname(real);
  } catch (cause) {
    throw new NoSuchFolderError(`there is no folder ${directory}`, {
      hint: 'give an existing folder',
      cause,
    });
  }
}

function* upwards(start: string): Generator<string> {
  for (let folder = start; ; folder = dirname(folder)) {
    yield folder;
    if (dirname(folder) === folder) return;
  }
}

function repositoryAt(folder: string): ProjectPlace | undefined {
  const dotGit = join(folder, '.git');
  const stats = statSync(dotGit, { throwIfNoEntry: false });
  if (stats?.isDirectory() && looksLikeGitDir(dotGit)) return workingTree(folder, dotGit);
  const link = stats?.isFile() ? pathIn(dotGit) : '';
  if (link.startsWith(GITDIR)) {
    return workingTree(folder, resolve(folder, link.slice(GITDIR.length)));
  }
  if (isFile(join(folder, 'HEAD')) && looksLikeGitDir(folder)) {
    return { identity: folder, root: folder, kind: 'bare', gitDir: folder };
  }
  return undefined;
}

function workingTree(root: string, gitDir: string): ProjectPlace {
  const commonFile = join(gitDir, 'commondir');
  const common = isFile(commonFile) ? resolve(gitDir, pathIn(commonFile)) : gitDir;
  return { identity: real(common), root, kind: 'git', gitDir: real(gitDir) };
}

/** The path that git wrote to a file, without the final line end; the path itself may contain others. */
const pathIn = (file: string): string => readFileSync(file, 'utf8').replace(/[\r\n]+$/, '');

/** The resolved path. One that does not exist stays unresolved; git will report the reason. */
const real = (path: string): string =>
  statSync(path, { throwIfNoEntry: false }) ? realpathSync.native(path) : path;

function looksLikeGitDir(path: string): boolean {
  const isFolder = (name: string) =>
    statSync(join(path, name), { throwIfNoEntry: false })?.isDirectory() === true;
  return isFile(join(path, 'HEAD')) && isFolder('objects') && isFolder('refs');
}

const isFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true;
