/**
 * Copies installed packages from one checkout into another one with the same lock file: without a
 * network, and with less work than an installation.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { attempt } from '../base/errors.ts';
import { isInside } from '../base/files/inside.ts';
import { gitIn } from '../base/git/git-in.ts';
import { ignoredEntries } from '../base/git/paths.ts';
import { isWithin } from '../base/git/tree-entry.ts';
import { literally } from '../base/text/pattern.ts';
import { copyFolder, entriesBelow, isTaken } from './copy-folder.ts';
import type { Setup } from './find-setups.ts';

interface Copy {
  /** Root of the checkout in which it may be installed. */
  readonly from: string;
  /** Root of the tree that needs it. */
  readonly to: string;
}

/** Returns false if it is not installed there, or for another lock file; nothing is copied then. */
export async function copyInstalled(
  { from, to }: Copy,
  { cwd, manager, buildsProject }: Setup,
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  if (manager === undefined || buildsProject === true) return false;
  const { lock, relevant = (text) => text, folders } = manager;
  const [theirs, ours] = [from, to].map((root) =>
    attempt(() => readFileSync(join(root, cwd, lock), 'utf8')),
  );
  if (theirs === undefined || ours === undefined || relevant(theirs) !== relevant(ours))
    return false;
  if (!manager.isInstalled(join(from, cwd), theirs)) return false;
  const ignored = await ignoredEntries(gitIn(from, env));
  const isResult = (path: string): boolean =>
    isWithin(cwd, path) && folders.some((it) => path === it || path.endsWith(`/${it}`));
  const paths = ignored.filter((path) => isResult(path) && !isOthers(from, path, cwd, lock));
  // A link may be in place of the folder; its target belongs to another checkout.
  const isFolder = (path: string): boolean => lstatSync(join(from, path)).isDirectory();
  if (paths.length === 0 || !paths.every(isFolder) || paths.some((path) => isTaken(to, path)))
    return false;
  for (const path of paths) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    if (!(await copyFolder(join(from, path), join(to, path)))) {
      for (const it of paths) rmSync(join(to, it), { recursive: true, force: true });
      return false;
    }
  }
  for (const path of paths) adapt({ from: realpathSync(from), to }, path);
  return true;
}

/** True if a folder between belongs to a lock file of its own. */
function isOthers(root: string, path: string, cwd: string, lock: string): boolean {
  if (lock === 'package.json') return false;
  for (let at = dirname(path); at !== '.' && at !== cwd; at = dirname(at)) {
    if (existsSync(join(root, at, lock))) return true;
  }
  return false;
}

/** Folders in which tools keep results of earlier runs, which may not fit another content. */
const CACHES = new Set(['.cache', '.vite', '.vite-temp', '.vitest']);

/** Replaces paths in the copy that lead back to the original checkout. */
export function adapt(copy: Copy, path: string): void {
  const folder = join(copy.to, path);
  for (const name of CACHES) rmSync(join(folder, name), { recursive: true, force: true });
  const isVenv = existsSync(join(folder, 'pyvenv.cfg'));
  for (const entry of entriesBelow(folder)) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) adaptLink(copy, file);
    else if (NAMES_PATHS.test(entry.parentPath) || (isVenv && entry.parentPath === folder)) {
      adaptText(copy, file);
    }
  }
}

/** Changes a link into the original to one into the copy; a link that leads out of it keeps its target. */
function adaptLink({ from, to }: Copy, link: string): void {
  const target = readlinkSync(link);
  const meant = resolve(dirname(join(from, link.slice(to.length + 1))), target);
  const inProject = meant === from || isInside(from, meant);
  if (isAbsolute(target) !== inProject) return;
  rmSync(link);
  symlinkSync(inProject ? join(to, meant.slice(from.length)) : meant, link);
}

/** Folders of scripts with absolute paths, and of packages that are imported from the project through them. */
const NAMES_PATHS = /\/(?:node_modules\/\.bin|\.?venv\/bin|\.?venv\/lib\/[^/]+\/site-packages)$/;

/** A script or a list of paths is smaller than this. */
const MOST_BYTES = 256 * 1024;

function adaptText({ from, to }: Copy, file: string): void {
  const stats = lstatSync(file);
  if (!stats.isFile() || stats.size > MOST_BYTES) return;
  const text = readFileSync(file, 'latin1');
  if (!text.includes(from) || text.includes('\0')) return;
  const old = new RegExp(`${literally(from)}(?=[/:'"\\s]|$)`, 'g');
  const next = text.replace(old, () => to);
  // The file is replaced, not changed: a file of a package store may have other names elsewhere.
  writeFileSync(`${file}.new`, next, { encoding: 'latin1', mode: stats.mode });
  renameSync(`${file}.new`, file);
}
