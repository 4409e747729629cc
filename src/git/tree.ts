/**
 * The content of a tree, as `mode oid path` of every file: of a commit, of the index, of the
 * working tree. Equal entries are equal bytes, whatever branch or machine they were read on.
 */
import { join } from 'node:path';
import type { Git } from './git.ts';
import { hashFiles, present, type WorkingTreeFile, withGitModes } from './hash-files.ts';
import { isWithin, splitNul, type TreeEntry, type TreePaths } from './paths.ts';
import { type RepositorySnapshot, snapshotOf } from './repository-snapshot.ts';
import type { Change } from './status.ts';

/** @param revision an oid, or anything git resolves to a tree. */
export async function treeAt(git: Git, revision: string, scope: TreePaths): Promise<TreeEntry[]> {
  if (scope.length === 0) return [];
  const args = ['ls-tree', '-r', '-z', '--full-tree', revision, ...pathArguments(scope)];
  return parseLsTree(await git.text(['--literal-pathspecs', ...args]));
}

/** What is staged, and with it what was committed and not changed since. */
export async function indexTree(git: Git, scope: TreePaths): Promise<TreeEntry[]> {
  if (scope.length === 0) return [];
  const index = (await listIndex(git, scope)).map(({ unseen: _, ...entry }) => entry);
  if (!index.some((entry) => EMPTY_BLOBS.has(entry.oid))) return index;
  // `git add --intent-to-add` lists a file as an empty one, and commits nothing of it.
  const args = ['diff-files', '--name-only', '--diff-filter=A', '-z'];
  const announced = new Set(splitNul(await git.text(args)));
  return index.filter((entry) => !announced.has(entry.path));
}

/** Of SHA-1 and SHA-256 repositories. */
const EMPTY_BLOBS: ReadonlySet<string> = new Set([
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
]);

/**
 * What is in the working tree: tracked and untracked files, without ignored ones. Content goes
 * through git's own filters, so that it has the oid it would be committed under.
 */
export async function worktreeTree(
  git: Git,
  root: string,
  scope: TreePaths,
  snapshot: RepositorySnapshot = snapshotOf(git),
): Promise<TreeEntry[]> {
  if (scope.length === 0) return [];
  const [index, { changes }] = await Promise.all([listIndex(git, scope), snapshot.status()]);
  const status = changes.filter(({ path }) => scope.some((base) => isWithin(base, path)));
  const entries = new Map<string, TreeEntry>();
  const files: WorkingTreeFile[] = [];
  for (const { unseen, ...entry } of index) {
    entries.set(entry.path, entry);
    if (unseen === undefined) continue;
    // Told not to look, git reports no change here: look all the same.
    files.push(...present(root, entry.path, entry.mode));
    if (unseen === 'assumed') entries.delete(entry.path);
  }
  for (const { path, inWorktree, untracked, worktreeMode } of status) {
    if (!inWorktree) continue;
    entries.delete(path);
    if (untracked) files.push(...present(root, path));
    else if (worktreeMode !== undefined) {
      files.push({ path, mode: worktreeMode, indexMode: worktreeMode });
    }
  }
  const hashed = await hashFiles(git, root, await withGitModes(git, files));
  for (const entry of hashed) entries.set(entry.path, entry);
  for (const entry of await dirtySubmodules(root, status, git)) entries.set(entry.path, entry);
  return [...entries.values()];
}

/** What the next commit would hold if it took, besides what is staged, the changes of a snapshot. */
export async function nextCommitTree(
  git: Git,
  root: string,
  scope: TreePaths,
  snapshot: RepositorySnapshot,
): Promise<TreeEntry[]> {
  const [staged, lying, { changes }] = await Promise.all([
    indexTree(git, scope),
    worktreeTree(git, root, scope, snapshot),
    snapshot.status(),
  ]);
  const taken = new Set(changes.filter((it) => it.inWorktree).map(({ path }) => path));
  return [
    ...staged.filter(({ path }) => !taken.has(path)),
    ...lying.filter(({ path }) => taken.has(path)),
  ];
}

/** `skipped`: not checked out on purpose, so that it is no deletion when it is not there. */
type IndexEntry = TreeEntry & { readonly unseen: 'assumed' | 'skipped' | undefined };

async function listIndex(git: Git, scope: TreePaths): Promise<IndexEntry[]> {
  const args = ['--literal-pathspecs', 'ls-files', '--stage', '-v', '-z', ...pathArguments(scope)];
  return splitNul(await git.text(args)).flatMap((line) => {
    // `<tag> <mode> <oid> <stage>\t<path>`; a lower-case tag is `assume-unchanged`, S is
    // `skip-worktree`.
    const tab = line.indexOf('\t');
    const [tag = '', mode = '', oid = ''] = line.slice(0, tab).split(' ');
    const assumed = tag >= 'a' && tag <= 'z' ? 'assumed' : undefined;
    const unseen = tag === 'S' || tag === 's' ? 'skipped' : assumed;
    return [{ mode, oid, path: line.slice(tab + 1), unseen }];
  });
}

function parseLsTree(text: string): TreeEntry[] {
  // `<mode> <type> <oid>\t<path>`: the widths up to the tab are fixed by git for mode and type.
  return splitNul(text).map((line) => {
    const tab = line.indexOf('\t');
    const [mode = '', , oid = ''] = line.slice(0, tab).split(' ');
    return { mode, oid, path: line.slice(tab + 1) };
  });
}

/**
 * A submodule stands for the commit that it has checked out. With changes of its own it stands for
 * no commit: such an entry equals nothing that can leave.
 */
async function dirtySubmodules(
  root: string,
  status: readonly Change[],
  git: Git,
): Promise<TreeEntry[]> {
  const changed = status.filter((change) => change.submodule !== undefined);
  return Promise.all(
    changed.map(async ({ path, submodule }) => {
      const head = (await git.text(['-C', join(root, path), 'rev-parse', 'HEAD'])).trim();
      return { mode: '160000', path, oid: submodule === 'dirty' ? `${head}-dirty` : head };
    }),
  );
}

function pathArguments(scope: TreePaths): readonly string[] {
  return scope.includes('') ? [] : ['--', ...scope];
}
