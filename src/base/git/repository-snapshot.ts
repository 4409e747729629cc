/** Reads a repository for one decision; to see later changes, take a new snapshot. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { boundedCache } from '../bounded-cache.ts';
import { attempt } from '../errors.ts';
import { once } from '../once.ts';
import type { Git } from './git.ts';
import { readRefs } from './known-refs.ts';
import { blobsAt, pathLines, splitNul, textOf } from './paths.ts';
import { placeOfGit, placeOfGitDir, projectPlace } from './project.ts';
import type { Refs } from './refs.ts';
import type { TreeEntry } from './tree-entry.ts';

export interface RepositorySnapshot {
  status(): Promise<Status>;
  /** The whole index. */
  index(): Promise<readonly IndexEntry[]>;
  /** Files whose changes a flag in the index hides from git. */
  hidden(): Promise<readonly string[]>;
  /** The refs, by the repository's own settings. */
  refs(): Promise<Refs>;
  /** The text of a file in each of some revisions (`''` is the index), if they have it. */
  texts(path: string, revisions: readonly string[]): Promise<readonly (string | undefined)[]>;
  textsIn(revision: string, paths: readonly string[]): Promise<readonly (string | undefined)[]>;
}

const NO_REFS: Refs = {
  currentBranch: undefined,
  head: undefined,
  oids: new Map(),
  unknown: new Map(),
  defaultBranches: new Map(),
  remotes: [],
  setting: () => [],
  destinationOf: (address) => address,
};
const NO_STATUS: Status = { head: undefined, branch: undefined, isPushed: false, changes: [] };

/** @param at given when a session starts. */
export function snapshotOf(git: Git | undefined, at?: 'session-start'): RepositorySnapshot {
  const index = once(async () => (git === undefined ? [] : listIndex(git)));
  const textsOf = async (names: readonly string[]) =>
    git === undefined ? names.map(() => undefined) : blobsAt(git, names);
  return {
    refs: once(async () => (git === undefined ? NO_REFS : readRefs(git, [], at))),
    status: once(async () => (git === undefined ? NO_STATUS : readStatus(git))),
    index,
    hidden: once(async () => (git === undefined ? [] : hiddenIn(await index(), git.directory))),
    texts: (path, revisions) => textsOf(revisions.map((revision) => `${revision}:${path}`)),
    textsIn: (revision, paths) => textsOf(paths.map((path) => `${revision}:${path}`)),
  };
}

/** `skipped`: the file is not checked out on purpose, so that its absence is no deletion. */
export type IndexEntry = TreeEntry & { readonly unseen: 'assumed' | 'skipped' | undefined };

/** The tag is a lower-case letter for `assume-unchanged`, and S or s for `skip-worktree`. */
const unseenBy = (tag: string): IndexEntry['unseen'] =>
  /s/i.test(tag) ? 'skipped' : tag >= 'a' && tag <= 'z' ? 'assumed' : undefined;

/** The files of the index. In an unchanged one, git is not asked again. */
export async function listIndex(git: Git): Promise<readonly IndexEntry[]> {
  const key = `${git.gitDir ?? ''}\0${git.directory}`;
  const index = ownIndex(git);
  const known = knownIndexes.find(key);
  if (index && known?.index.equals(index)) return known.entries;
  const entries: IndexEntry[] = [];
  const output = textOf(await git.bytes(['ls-files', '--stage', '-v', '-z']));
  for (const { facts, path } of pathLines(output)) {
    // `<tag> <mode> <oid> <stage>`: a letter, six digits, the id and a digit.
    const [mode, oid] = [facts.slice(2, 8), facts.slice(9, -2)];
    entries.push({ mode, oid, path, unseen: unseenBy(facts.charAt(0)) });
  }
  // Another process may have changed it meanwhile.
  if (index && ownIndex(git)?.equals(index)) knownIndexes.keep(key, { index, entries });
  return entries;
}

/** The working tree's own index, unless git keeps a part of it in another file. */
function ownIndex(git: Git): Buffer | undefined {
  if (git.env.GIT_INDEX_FILE ?? git.env.GIT_WORK_TREE) return undefined;
  return attempt(() => {
    const { gitDir = '' } = placeOfGit(git);
    const isSplit = readdirSync(gitDir).some((it) => it.startsWith('sharedindex.'));
    return isSplit ? undefined : readFileSync(join(gitDir, 'index'));
  });
}

/** The resident process keeps the entries of an index, which take several times its bytes, with its content. */
const knownIndexes = boundedCache<{
  readonly index: Buffer;
  readonly entries: readonly IndexEntry[];
}>(32 * 1024 * 1024, ({ index }) => index.length * 6);

/** Files with a flag: a sparse checkout sets `skip-worktree`, which hides changes of a file that is there. */
function hiddenIn(index: readonly IndexEntry[], root: string): readonly string[] {
  const isThere = (path: string) => existsSync(join(root, path));
  return index.flatMap(({ path, unseen }) =>
    unseen === 'assumed' || (unseen && isThere(path)) ? [path] : [],
  );
}

/** The working tree as the next commit sees it, if the commit takes only some of the changes. */
export function snapshotTaking(
  snapshot: RepositorySnapshot,
  takes: (change: StatusEntry) => boolean,
): RepositorySnapshot {
  return {
    ...snapshot,
    async status() {
      const status = await snapshot.status();
      const seen = status.changes.map((it) => (takes(it) ? it : { ...it, ...NOT_TAKEN }));
      return { ...status, changes: seen.filter((it) => it.staged || it.inWorktree) };
    },
  };
}

const NOT_TAKEN = { inWorktree: false, submodule: undefined } as const;

export interface StatusEntry {
  /** Relative to the root of the working tree. */
  readonly path: string;
  /** The working tree differs from the index; else only the index differs from HEAD. */
  readonly inWorktree: boolean;
  /** The index differs from HEAD. */
  readonly staged: boolean;
  readonly untracked: boolean;
  /** The working tree has the path, and it is no submodule. */
  readonly isThere: boolean;
  readonly indexed: readonly [mode: string, oid: string] | undefined;
  /** Set for submodules: at another commit, or with changes of its own. */
  readonly submodule: 'moved' | 'dirty' | undefined;
}

export interface Status {
  /** The commit that is checked out; `undefined` before the first. */
  readonly head: string | undefined;
  /** Git's output for the branch that is checked out, or for none. */
  readonly branch: string | undefined;
  /** The upstream branch, as far as it is known here, is at the same commit. */
  readonly isPushed: boolean;
  readonly changes: readonly StatusEntry[];
}

/** The status of everything, whatever the settings leave out. */
const STATUS: readonly string[] = [
  ...['--literal-pathspecs', 'status', '--porcelain=v2', '--branch', '--no-ahead-behind', '-z'],
  ...['--no-renames', '--untracked-files=all', '--ignore-submodules=none'],
];

/** @see https://git-scm.com/docs/git-status#_porcelain_format_version_2 */
export async function readStatus(git: Git): Promise<Status> {
  const lines = textOf(await git.bytes([...STATUS])).split('\0');
  const headerOf = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(name))?.slice(name.length);
  const head = headerOf('# branch.oid ');
  return {
    head: head === '(initial)' ? undefined : head,
    branch: headerOf('# branch.head '),
    isPushed: lines.includes('# branch.ab +0 -0'),
    changes: await withNested(
      git,
      lines.flatMap((line) => parseLine(line) ?? []),
    ),
  };
}

/** Replaces each untracked repository by its files: git names only the folder, with a slash at the end. */
async function withNested(git: Git, changes: readonly StatusEntry[]): Promise<StatusEntry[]> {
  const all = changes.map(async (change) => {
    if (!change.path.endsWith('/')) return [change];
    const files = await filesOfNested(git, change.path);
    return files.map((path) => ({ ...change, path }));
  });
  return (await Promise.all(all)).flat();
}

/**
 * The files of a nested repository, listed as a folder of the project, because its own settings
 * could hide files. The project's own worktrees are left out.
 */
async function filesOfNested(git: Git, folder: string): Promise<string[]> {
  const { gitDir = '', identity, root } = projectPlace(git.directory);
  const workTree = join(git.directory, folder);
  const nested = projectPlace(workTree);
  const isOwn = nested.identity === identity && nested.root !== root;
  if (isOwn && placeOfGitDir(nested.gitDir ?? '').root === nested.root) return [];
  const listing = git.at(workTree, { gitDir, workTree, indexFile: join(gitDir, 'no-index') });
  const output = await listing.bytes(['ls-files', '-z', '--others', '--exclude-standard']);
  const files = splitNul(textOf(output)).map(async (path) =>
    path.endsWith('/') ? filesOfNested(git, `${folder}${path}`) : [`${folder}${path}`],
  );
  return (await Promise.all(files)).flat();
}

const NO_MODE = '000000';

function parseLine(line: string): StatusEntry | undefined {
  const fields = line.split(' ');
  const [kind, xy = '..', sub = 'N...'] = fields;
  if (kind === '?') return { ...UNTRACKED, path: line.slice(2) };
  if (kind !== '1' && kind !== 'u') return undefined;
  const [modeAt, pathAt] = kind === '1' ? [5, 8] : [6, 10];
  const path = fields.slice(pathAt).join(' ');
  // An unfinished merge has three versions.
  const stages =
    kind === '1' ? [[fields[4], fields[7]]] : [5, 4, 3].map((at) => [fields[at], fields[at + 4]]);
  const [indexMode = NO_MODE, indexOid = ''] = stages.find(([it]) => it !== NO_MODE) ?? [];
  const mode = fields[modeAt] ?? NO_MODE;
  const isSubmodule = sub.startsWith('S') && mode === '160000';
  return {
    path,
    staged: xy[0] !== '.',
    inWorktree: xy[1] !== '.',
    untracked: false,
    isThere: mode !== NO_MODE && !isSubmodule,
    indexed: indexMode === NO_MODE ? undefined : [indexMode, indexOid],
    submodule: isSubmodule ? (/[MU]/.test(sub.slice(2)) ? 'dirty' : 'moved') : undefined,
  };
}

const UNTRACKED = {
  staged: false,
  inWorktree: true,
  untracked: true,
  isThere: true,
  indexed: undefined,
  submodule: undefined,
} as const;
