/**
 * The content of a commit, the index or the working tree, as mode, oid and path of every file. Equal
 * entries are equal content, on any branch and machine.
 */
import { join } from 'node:path';
import type { Git } from './git.ts';
import { hashFiles, present, type WorkingTreeFile, withGitModes } from './hash-files.ts';
import { pathLines, splitNul } from './paths.ts';
import { type RepositorySnapshot, snapshotOf } from './repository-snapshot.ts';
import type { StatusEntry } from './status.ts';
import { isWithin, type TreeEntry, type TreePaths } from './tree-entry.ts';

/** @param revision an oid, or anything git resolves to a tree. */
export async function treeAt(git: Git, revision: string, scope: TreePaths): Promise<TreeEntry[]> {
  if (scope.length === 0) return [];
  const args = ['ls-tree', '-r', '-z', '--full-tree', revision, ...pathArguments(scope)];
  return pathLines(await git.text(['--literal-pathspecs', ...args])).map(({ facts, path }) => {
    const [mode = '', , oid = ''] = facts.split(' '); // `<mode> <type> <oid>`
    return { mode, oid, path };
  });
}

/** The content of the index: staged files, and committed ones that have not changed since. */
export async function indexTree(git: Git, scope: TreePaths): Promise<TreeEntry[]> {
  if (scope.length === 0) return [];
  const index = (await listIndex(git, scope)).map(({ unseen: _, ...entry }) => entry);
  if (!index.some((entry) => EMPTY_BLOBS.has(entry.oid))) return index;
  // `git add --intent-to-add` lists a file as empty and commits nothing of it.
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
    // The flag hides changes of this file from git, so it is read here.
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
  const [staged, working, { changes }] = await Promise.all([
    indexTree(git, scope),
    worktreeTree(git, root, scope, snapshot),
    snapshot.status(),
  ]);
  const taken = new Set(changes.filter((it) => it.inWorktree).map(({ path }) => path));
  return [
    ...staged.filter(({ path }) => !taken.has(path)),
    ...working.filter(({ path }) => taken.has(path)),
  ];
}

/** `skipped`: not checked out on purpose, so that a missing file is no deletion. */
type IndexEntry = TreeEntry & { readonly unseen: 'assumed' | 'skipped' | undefined };

async function listIndex(git: Git, scope: TreePaths): Promise<IndexEntry[]> {
  const args = ['--literal-pathspecs', 'ls-files', '--stage', '-v', '-z', ...pathArguments(scope)];
  return pathLines(await git.text(args)).map(({ facts, path }) => {
    // `<tag> <mode> <oid> <stage>`; a lower-case tag is `assume-unchanged`, S is `skip-worktree`.
    const [tag = '', mode = '', oid = ''] = facts.split(' ');
    const assumed = tag >= 'a' && tag <= 'z' ? 'assumed' : undefined;
    const unseen = tag === 'S' || tag === 's' ? 'skipped' : assumed;
    return { mode, oid, path, unseen };
  });
}

/**
 * A submodule has the oid of the commit that it has checked out. With uncommitted changes it gets an
 * oid that equals no commit.
 */
async function dirtySubmodules(
  root: string,
  status: readonly StatusEntry[],
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
