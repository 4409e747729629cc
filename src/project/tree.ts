/**
 * The content of a tree, as `mode oid path` of every file: of a commit, of the index, of the
 * working tree. Equal entries are equal bytes, whatever branch or machine they were read on.
 */
import { lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError } from '../errors.ts';
import { splitNul } from './diff.ts';
import type { Git } from './git.ts';
import { type Look, lookAt } from './look.ts';
import { isWithin, type Scope } from './scope.ts';
import type { Change } from './status.ts';

/** Paths are relative to the root of the tree and `/`-separated. */
export interface TreeEntry {
  readonly mode: string;
  readonly oid: string;
  readonly path: string;
}

export class UnreadableNameError extends ExplainedError {
  override readonly code = 'UNREADABLE_NAME';
}

/** @param revision an oid, or anything git resolves to a tree. */
export async function treeAt(git: Git, revision: string, scope: Scope): Promise<TreeEntry[]> {
  if (scope.length === 0) return [];
  const args = ['ls-tree', '-r', '-z', '--full-tree', revision, ...pathArguments(scope)];
  return parseLsTree(await git.text(args));
}

/** What the next commit would hold. */
export async function indexTree(git: Git, scope: Scope): Promise<TreeEntry[]> {
  if (scope.length === 0) return [];
  return (await listIndex(git, scope)).map(({ assumed: _, ...entry }) => entry);
}

/**
 * What is in the working tree: tracked and untracked files, without ignored ones. Content goes
 * through git's own filters, so that it has the oid it would be committed under.
 */
export async function worktreeTree(
  git: Git,
  root: string,
  scope: Scope,
  look: Look = lookAt(git),
): Promise<TreeEntry[]> {
  if (scope.length === 0) return [];
  const [index, { changes }] = await Promise.all([listIndex(git, scope), look.status()]);
  const status = changes.filter(({ path }) => scope.some((base) => isWithin(base, path)));
  const entries = new Map<string, TreeEntry>();
  const toHash: { path: string; mode: string }[] = [];
  for (const { assumed, ...entry } of index) {
    entries.set(entry.path, entry);
    // Told not to look, git reports no change here: look all the same.
    if (assumed) entries.delete(entry.path);
    if (assumed) toHash.push(...present(root, entry.path));
  }
  for (const change of status) {
    if (!change.inWorktree) continue;
    entries.delete(change.path);
    if (change.untracked) toHash.push(...present(root, change.path));
    else if (change.worktreeMode !== undefined) {
      toHash.push({ path: change.path, mode: change.worktreeMode });
    }
  }
  const hashed = await hashFiles(git, root, toHash);
  for (const entry of hashed) entries.set(entry.path, entry);
  for (const entry of await dirtySubmodules(root, status, git)) entries.set(entry.path, entry);
  return [...entries.values()];
}

/** A file with the mode that git would give it, or nothing if it is gone. */
function present(root: string, path: string): { path: string; mode: string }[] {
  const stats = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (stats?.isSymbolicLink()) return [{ path, mode: '120000' }];
  if (stats?.isFile()) return [{ path, mode: (stats.mode & 0o100) === 0 ? '100644' : '100755' }];
  return [];
}

type IndexEntry = TreeEntry & { readonly assumed: boolean };

async function listIndex(git: Git, scope: Scope): Promise<IndexEntry[]> {
  const args = ['--literal-pathspecs', 'ls-files', '--stage', '-v', '-z', ...pathArguments(scope)];
  return splitNul(await git.text(args)).flatMap((line) => {
    // `<tag> <mode> <oid> <stage>\t<path>`; a lower-case tag is `assume-unchanged`.
    const tab = line.indexOf('\t');
    const [tag = '', mode = '', oid = ''] = line.slice(0, tab).split(' ');
    const assumed = tag >= 'a' && tag <= 'z';
    return [{ mode, oid, path: line.slice(tab + 1), assumed }];
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

async function hashFiles(
  git: Git,
  root: string,
  files: readonly { path: string; mode: string }[],
): Promise<TreeEntry[]> {
  const regular = files.filter((file) => file.mode.startsWith('100'));
  const links = files.filter((file) => file.mode === '120000');
  const [oids, targets] = await Promise.all([
    regular.length === 0
      ? []
      : git
          .text(['hash-object', '--stdin-paths'], regular.map(quotedLine).join(''))
          .then((text) => text.trimEnd().split('\n')),
    Promise.all(links.map((link) => hashLink(git, root, link.path))),
  ]);
  if (oids.length !== regular.length) {
    throw new ExplainedError('git did not hash every changed file', { hint: 'run it once more' });
  }
  return [
    ...regular.map(({ mode, path }, at) => ({ mode, path, oid: oids[at] ?? '' })),
    ...links.map(({ mode, path }, at) => ({ mode, path, oid: targets[at] ?? '' })),
  ];
}

/** A symbolic link is stored as the text of its target. */
async function hashLink(git: Git, root: string, path: string): Promise<string> {
  const target = readlinkSync(join(root, path));
  return (await git.text(['hash-object', '--stdin'], target)).trim();
}

/** One line of `--stdin-paths`; a name that would break the line goes in quotes, C style. */
function quotedLine({ path }: { path: string }): string {
  if (path.includes('\uFFFD')) {
    throw new UnreadableNameError(`the name of the changed file ${path} is not valid UTF-8`, {
      hint: 'rename it, or commit it so that its content is known',
    });
  }
  if (!/["\\\n\r\t]/.test(path)) return `${path}\n`;
  const escaped = path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
  return `"${escaped.replaceAll('\t', '\\t')}"\n`;
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

function pathArguments(scope: Scope): readonly string[] {
  return scope.includes('') ? [] : ['--', ...scope];
}
