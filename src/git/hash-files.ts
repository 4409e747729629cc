/** Ids and modes that git would give to files of the working tree. */
import { createHash } from 'node:crypto';
import { lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ExplainedError } from '../errors.ts';
import type { Git } from './git.ts';
import { keepingLineEnds } from './line-ends.ts';
import type { TreeEntry } from './tree-entry.ts';

export class UnreadableNameError extends ExplainedError {
  override readonly code = 'UNREADABLE_NAME';
}

export interface WorkingTreeFile {
  /** Relative to the root of the working tree. */
  readonly path: string;
  readonly mode: string;
  /** Mode in the index; `undefined` for an untracked file. */
  readonly indexMode: string | undefined;
}

/** The file or link at a path; nothing if there is none. */
export function present(root: string, path: string, indexMode?: string): WorkingTreeFile[] {
  const stats = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (stats?.isSymbolicLink()) return [{ path, mode: '120000', indexMode }];
  if (!stats?.isFile()) return [];
  return [{ path, mode: (stats.mode & 0o100) === 0 ? '100644' : '100755', indexMode }];
}

/** With `core.fileMode` off git takes the mode from the index. */
export async function withGitModes(
  git: Git,
  files: readonly WorkingTreeFile[],
): Promise<readonly WorkingTreeFile[]> {
  const untold = (file: WorkingTreeFile) => file.indexMode ?? '100644';
  const isPlain = ({ mode }: WorkingTreeFile) => mode.startsWith('100');
  if (!files.some((file) => isPlain(file) && file.mode !== untold(file))) return files;
  const trusted = await git.maybe(['config', '--type=bool', 'core.fileMode']);
  if (trusted?.trim() !== 'false') return files;
  return files.map((file) => (isPlain(file) ? { ...file, mode: untold(file) } : file));
}

/** Content goes through git's own filters. @throws {UnreadableNameError | GitError} */
export async function hashFiles(
  git: Git,
  root: string,
  files: readonly WorkingTreeFile[],
): Promise<TreeEntry[]> {
  for (const { path } of files) assertReadable(path);
  const found = files.map((file) => {
    return { file, stats: lstatSync(join(root, file.path), { throwIfNoEntry: false }) };
  });
  const links = found.flatMap(({ file, stats }) => (stats?.isSymbolicLink() ? file : []));
  // On a file system without links git keeps a link as a plain file. Pipes and the like are left
  // out: git commits none, and reading one could block for ever.
  const plain = found.flatMap(({ file, stats }) => (stats?.isFile() ? file : []));
  const kept = await keepingLineEnds(
    git,
    root,
    plain.flatMap(({ path, indexMode }) => (indexMode === undefined ? [] : path)),
  );
  const [filtered, raw, targets] = await Promise.all([
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
  return [...filtered, ...raw, ...targets];
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
    const hash = createHash(format).update(`blob ${target.length}\0`).update(target);
    return { mode, path, oid: hash.digest('hex') };
  });
}

/** A name that is not valid UTF-8 is damaged by decoding, so the file cannot be found by it. */
function assertReadable(path: string): void {
  if (!path.includes('\uFFFD')) return;
  throw new UnreadableNameError(`the name of the changed file ${path} is not valid UTF-8`, {
    hint: 'rename it, or commit it so that its content is known',
  });
}

/** One line of `--stdin-paths`; special characters need quotes and escapes as in C. */
function quotedLine({ path }: WorkingTreeFile): string {
  if (!/["\\\n\r\t]/.test(path)) return `${path}\n`;
  const escaped = path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r');
  return `"${escaped.replaceAll('\t', '\\t')}"\n`;
}
