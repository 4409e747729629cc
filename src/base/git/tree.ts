/**
 * The content of a commit, the index or the working tree, as mode, oid and path of every file. Equal
 * entries are equal content, on any branch and machine.
 */
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError } from '../errors.ts';
import { enumerated } from '../text/count.ts';
import { sha256 } from '../text/sha256.ts';
import type { Git } from './git.ts';
import { listedBy, pathArguments, pathLines, pathsWithAttribute, textOf } from './paths.ts';
import { gitMode } from './project-files.ts';
import { type RepositorySnapshot, type StatusEntry, snapshotOf } from './repository-snapshot.ts';
import { blobId, type TreeEntry, type TreePaths, withinAny } from './tree-entry.ts';

export const pathsAt = (git: Git, revision: string): Promise<string[]> =>
  listedBy(git, ['ls-tree', '-r', '-z', '--full-tree', '--name-only', revision]);

/** The content of the index: staged files, and committed ones that have not changed since. */
export async function indexTree(git: Git, scope: TreePaths): Promise<TreeEntry[]> {
  if (scope.length === 0) return [];
  const index = (await listIndex(git, scope)).map(({ unseen: _, ...entry }) => entry);
  if (!index.some((entry) => EMPTY_BLOBS.has(entry.oid))) return index;
  // `git add --intent-to-add` lists a file as empty and commits nothing of it.
  const args = ['diff-files', '--name-only', '--diff-filter=A', '-z'];
  const announced = new Set(await listedBy(git, args));
  return index.filter((entry) => !announced.has(entry.path));
}

/** The ids of SHA-1 and SHA-256 repositories. */
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
): Promise<readonly TreeEntry[]> {
  if (scope.length === 0) return [];
  const [{ changes }, index] = await Promise.all([snapshot.status(), listIndex(git, scope)]);
  const isWanted = withinAny(scope);
  const status = changes.filter(({ path }) => isWanted(path));
  // The flag hides changes of these files from git, so they are read here.
  const unseen = index.filter((it) => it.unseen !== undefined);
  if (status.length === 0 && unseen.length === 0) return index;
  const entries = new Map<string, TreeEntry>(index.map((it) => [it.path, it]));
  const files = unseen.flatMap(({ path, mode }) => present(root, path, mode));
  for (const it of unseen) if (it.unseen === 'assumed') entries.delete(it.path);
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
type IndexEntry = TreeEntry & { readonly unseen?: 'assumed' | 'skipped' | undefined };

async function listIndex(git: Git, scope: TreePaths): Promise<IndexEntry[]> {
  const args = ['--literal-pathspecs', 'ls-files', '--stage', '-v', '-z', ...pathArguments(scope)];
  const isWanted = withinAny(scope);
  const entries: IndexEntry[] = [];
  for (const { facts, path } of pathLines(textOf(await git.bytes(args)))) {
    if (!isWanted(path)) continue;
    // `<tag> <mode> <oid> <stage>`; a lower-case tag is `assume-unchanged`, S is `skip-worktree`.
    const [tag = '', mode = '', oid = ''] = facts.split(' ');
    const assumed = tag >= 'a' && tag <= 'z' ? 'assumed' : undefined;
    const unseen = tag === 'S' || tag === 's' ? 'skipped' : assumed;
    entries.push({ mode, oid, path, unseen });
  }
  return entries;
}

/**
 * A submodule has the oid of the commit that it has checked out. With uncommitted changes it gets one that
 * equals no commit, and another one for other changes.
 */
async function dirtySubmodules(
  root: string,
  status: readonly StatusEntry[],
  git: Git,
): Promise<TreeEntry[]> {
  const changed = status.filter((change) => change.submodule !== undefined);
  const entries = changed.map(async ({ path, submodule }) => {
    const folder = join(root, path);
    const within = git.at(folder);
    const head = (await within.text(['rev-parse', 'HEAD'])).trim();
    if (submodule !== 'dirty') return { mode: '160000', path, oid: head };
    const files = await worktreeTree(within, folder, ['']);
    const lines = files.map((it) => `${it.mode} ${it.oid} ${it.path}`).sort();
    return { mode: '160000', path, oid: `${head}-${sha256(lines.join('\0'))}` };
  });
  return Promise.all(entries);
}

/** Larger files are taken as binary. */
const MAX_BYTES = 64 * 1024 * 1024;

/** In a message. */
const MOST_NAMED = 4;

/** Paths on one command line. */
const BATCH = 200;

interface WorkingTreeFile {
  /** Relative to the root of the working tree. */
  readonly path: string;
  readonly mode: string;
  /** Mode in the index; `undefined` for an untracked file. */
  readonly indexMode: string | undefined;
}

/** The file or link at a path; nothing if there is none. */
function present(root: string, path: string, indexMode?: string): WorkingTreeFile[] {
  // No file can be found by a name that is not valid UTF-8: it is refused where it would be read.
  if (path.includes('\uFFFD')) return [{ path, mode: '100644', indexMode }];
  const stats = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (!stats?.isFile() && !stats?.isSymbolicLink()) return [];
  return [{ path, mode: gitMode(stats), indexMode }];
}

/** With `core.fileMode` off git takes the mode from the index. */
async function withGitModes(
  git: Git,
  files: readonly WorkingTreeFile[],
): Promise<readonly WorkingTreeFile[]> {
  const inGit = (file: WorkingTreeFile) =>
    file.mode.startsWith('100') ? { ...file, mode: file.indexMode ?? '100644' } : file;
  if (files.every((file) => file.mode === inGit(file).mode)) return files;
  const trusted = await git.maybe(['config', '--type=bool', 'core.fileMode']);
  return trusted?.trim() === 'false' ? files.map(inGit) : files;
}

/** Content goes through git's own filters. @throws {ExplainedError} */
async function hashFiles(
  git: Git,
  root: string,
  files: readonly WorkingTreeFile[],
): Promise<TreeEntry[]> {
  // A name that is not valid UTF-8 is damaged by decoding, so the file cannot be found by it.
  const unreadable = files.flatMap(({ path }) => (path.includes('\uFFFD') ? path : []));
  if (unreadable.length > 0) {
    const names = enumerated(unreadable, MOST_NAMED);
    throw new ExplainedError(`names of changed files are not valid UTF-8: ${names}`, {
      code: 'UNREADABLE_NAME',
      hint: 'rename or ignore them, or commit them so that their content is known',
    });
  }
  const stats = files.map(({ path }) => lstatSync(join(root, path), { throwIfNoEntry: false }));
  const links = files.filter((_, at) => stats[at]?.isSymbolicLink());
  // On a file system without links git keeps a link as a plain file. Pipes and the like are left
  // out: git commits none, and reading one may never end.
  const plain = files.filter((_, at) => stats[at]?.isFile());
  const tracked = plain.flatMap(({ path, indexMode }) => (indexMode === undefined ? [] : path));
  const kept = await keepingLineEnds(git, root, tracked);
  const entries = await Promise.all([
    hashContent(
      git,
      plain.filter(({ path }) => !kept.has(path)),
    ),
    hashContent(
      git,
      plain.filter(({ path }) => kept.has(path)),
      '--no-filters',
    ),
    hashLinks(git, root, links),
  ]);
  return entries.flat();
}

async function hashContent(
  git: Git,
  files: readonly WorkingTreeFile[],
  ...options: readonly string[]
): Promise<TreeEntry[]> {
  if (files.length === 0) return [];
  const args = ['hash-object', ...options, '--stdin-paths'];
  const oids = (await git.text(args, files.map(quotedLine).join(''))).trimEnd().split('\n');
  if (oids.length !== files.length) {
    throw new ExplainedError('git did not hash every changed file', { hint: 'run it once more' });
  }
  return files.map(({ mode, path }, at) => ({ mode, path, oid: oids[at] ?? '' }));
}

/** A symbolic link is stored as the bytes of its target. */
async function hashLinks(
  git: Git,
  root: string,
  links: readonly WorkingTreeFile[],
): Promise<TreeEntry[]> {
  if (links.length === 0) return [];
  const format = (await git.text(['rev-parse', '--show-object-format'])).trim();
  return links.map(({ mode, path }) => {
    const target = readlinkSync(join(root, path), { encoding: 'buffer' });
    return { mode, path, oid: blobId(target, format) };
  });
}

/** One line of `--stdin-paths`; special characters need quotes and escapes as in C. */
function quotedLine({ path }: WorkingTreeFile): string {
  if (!/["\\\n\r\t]/.test(path)) return `${path}\n`;
  const escaped = path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
  return `"${escaped.replaceAll('\t', '\\t')}"\n`;
}

/**
 * Finds the changed files whose line ends git does not convert, although it would in a new file:
 * those that were committed with CR LF before conversion was turned on. `git add` looks at the index
 * for that, `git hash-object` does not.
 *
 * @param tracked changed files that are in the index.
 * @see https://git-scm.com/docs/gitattributes#_text
 */
async function keepingLineEnds(
  git: Git,
  root: string,
  tracked: readonly string[],
): Promise<ReadonlySet<string>> {
  const suspects = tracked.filter((path) => hasCrLf(join(root, path)));
  if (suspects.length === 0) return new Set();
  const [undecided, automatic] = await Promise.all([committedWithCrLf(git, suspects), isOn(git)]);
  const isAutomatic = (attributes: string) =>
    attributes.startsWith('text=auto') || (attributes === '' && automatic);
  const kept = [...undecided].flatMap(([path, it]) => (isAutomatic(it) ? path : []));
  const others = ['filter', 'ident', 'working-tree-encoding'];
  const filtered = await pathsWithAttribute(git, kept, ...others);
  return new Set(kept.filter((path) => !filtered.has(path)));
}

function hasCrLf(file: string): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size > MAX_BYTES) return false;
  return readFileSync(file).includes('\r\n');
}

/** Path to what the attributes say of line ends: `text=auto`, `text eol=crlf`, or nothing. */
async function committedWithCrLf(
  git: Git,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let at = 0; at < paths.length; at += BATCH) {
    const batch = paths.slice(at, at + BATCH);
    const args = ['--literal-pathspecs', 'ls-files', '--eol', '-z', '--', ...batch];
    for (const { facts, path } of pathLines(await git.text(args))) {
      // `i/<in the index> w/<in the working tree> attr/<attributes>`, padded with spaces
      const [, attributes] = /^i\/(?:crlf|mixed)\s+w\/\S*\s+attr\/(.*)$/.exec(facts) ?? [];
      if (attributes !== undefined) found.set(path, attributes.trim());
    }
  }
  return found;
}

async function isOn(git: Git): Promise<boolean> {
  const value = (await git.maybe(['config', 'core.autocrlf']))?.trim().toLowerCase();
  return value !== undefined && !['false', 'no', 'off', '0'].includes(value);
}
