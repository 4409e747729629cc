/** Copies the result of a setup with the system's programs, because it may be a hundred thousand files. */
import {
  closeSync,
  type Dirent,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../base/errors.ts';
import { linkOnTheWay } from '../base/files/inside.ts';
import { run } from '../base/process/run.ts';
import { sha256 } from '../base/text/sha256.ts';

const COPY_MS = 600_000;

/**
 * Copies a file or a folder, links as links: by reflink if the file system supports it, else byte by byte.
 *
 * @returns whether everything was copied.
 */
export async function copyFolder(from: string, to: string): Promise<boolean> {
  const options =
    process.platform === 'darwin' ? ['-c', '-R', '-P', '-p'] : ['-a', '--reflink=auto'];
  return succeeds('cp', [...options, '--', from, to]);
}

/**
 * Copies a folder with hard links to files that are read-only. Folders that package managers and
 * tools write to are copied, except for caches, which each tool makes anew. A link in place of the
 * folder is refused, because its target belongs to somebody else.
 */
export async function linkFolder(from: string, to: string): Promise<boolean> {
  if (!lstatSync(from).isDirectory()) return false;
  if (!(await succeeds('cp', ['-a', '-l', '--', from, to]))) return false;
  for (const name of readdirSync(from).filter((it) => /^\.(?!(?:bin|pnpm)$)/.test(it))) {
    const own = join(to, name);
    rmSync(own, { recursive: true, force: true });
    if (CACHE.test(name)) continue;
    const isCopied = await copyFolder(join(from, name), own);
    if (!isCopied || !(await chmodFiles(own, 'u+w'))) return false;
  }
  return true;
}

/** Caches of tools beside the packages: they can be larger than everything that a lane has of its own. */
const CACHE = /^\.(?:cache|vite|vitest)(?:-[\w-]+)?$/;

/** Changes the permissions of the files below a folder, without following links. */
export const chmodFiles = (folder: string, mode: 'u+w' | 'a-w'): Promise<boolean> =>
  succeeds('find', [folder, '-type', 'f', '-exec', 'chmod', mode, '{}', '+']);

/** Goes through a folder without following links, unlike Node's own function. */
export function* entriesBelow(folder: string): Generator<Dirent> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) yield* entriesBelow(join(folder, entry.name));
    else yield entry;
  }
}

/** Whether a file below has another name elsewhere, as in the store of a package manager. */
export function hasNameElsewhere(folder: string): boolean {
  const left = new Map<number, number>();
  for (const { parentPath, name } of entriesBelow(folder)) {
    const stats = lstatSync(join(parentPath, name));
    if (!stats.isFile() || stats.nlink === 1) continue;
    left.set(stats.ino, (left.get(stats.ino) ?? stats.nlink) - 1);
  }
  return left.values().some((names) => names > 0);
}

/** A digest of all files below a folder, over the fields that change when a file is written to in good faith. */
export function digestOf(folder: string): string {
  const lines = Array.from(entriesBelow(folder), ({ parentPath, name }) => {
    const { mode, size, mtimeMs } = lstatSync(join(parentPath, name));
    return [join(parentPath, name).slice(folder.length), mode, size, mtimeMs].join(' ');
  });
  return sha256(lines.sort().join('\n'));
}

/** True if the path exists, or if something on the way is no folder. */
export function isTaken(worktree: string, path: string): boolean {
  const file = join(worktree, path);
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) return true;
  return linkOnTheWay(worktree, dirname(file)) !== undefined;
}

/**
 * How two folders can share the content of files: as `blocks`, by reflink; as `links` to read-only
 * files; or not at all, with the reason as a clause.
 */
export async function sharing(
  from: string,
  to: string,
): Promise<'blocks' | 'links' | { readonly why: string }> {
  if (process.platform === 'darwin') return 'blocks';
  const [one, other] = [from, to].map((it) => mkdtempSync(join(it, '.reflink-')));
  try {
    writeFileSync(join(`${one}`, 'file'), 'content');
    const args = ['--reflink=always', '--', join(`${one}`, 'file'), join(`${other}`, 'file')];
    if (await succeeds('cp', args)) return 'blocks';
    if (statSync(from).dev !== statSync(to).dev) {
      return { why: `${from} and ${to} are on different file systems` };
    }
    // For root nothing is read-only, unless the system has removed that right.
    const file = join(`${one}`, 'read-only');
    writeFileSync(file, '', { mode: 0o444 });
    const isWritable = attempt(() => closeSync(openSync(file, 'r+')) ?? true) === true;
    return isWritable ? { why: 'root may write to each file' } : 'links';
  } finally {
    for (const it of [one, other]) rmSync(`${it}`, { recursive: true });
  }
}

/** Waits until written data is on the disk. */
export async function syncFolder(folder: string): Promise<boolean> {
  return succeeds('sync', process.platform === 'linux' ? ['-f', folder] : []);
}

/** Whether one of the paths contains a link with an absolute path into the folder. */
export async function hasLinkInto(folder: string, paths: readonly string[]): Promise<boolean> {
  const pattern = folder.replaceAll(/[\\*?[\]]/g, '\\$&');
  const links = ['-type', 'l', '(', '-lname', pattern, '-o', '-lname', `${pattern}/*`, ')'];
  const args = [...paths.map((path) => `./${path}`), ...links, '-print', '-quit'];
  const outcome = await runTool('find', args, folder);
  // If the search failed, assume that there is one.
  return outcome.kind === 'failed' || outcome.exitCode !== 0 || outcome.stdout.length > 0;
}

const runTool = (program: string, args: readonly string[], cwd = '/') =>
  run(program, args, { cwd, env: ENVIRONMENT, timeoutMs: COPY_MS });

const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C' };

async function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  const outcome = await runTool(program, args);
  return outcome.kind === 'exited' && outcome.exitCode === 0;
}
