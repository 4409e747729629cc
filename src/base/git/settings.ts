/**
 * git's settings. A process keeps them while the stamps of all files that they are from, and of those that
 * could appear, are the same.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { boundedCache } from '../bounded-cache.ts';
import { stampOf } from '../files/file-stamp.ts';
import type { Git } from './git.ts';
import { splitNul } from './paths.ts';
import { placeOfGit } from './project.ts';

export interface Settings {
  /** In order, each as its name in git's own spelling, a new line and its value. */
  readonly records: readonly string[];
}

interface KeptSettings extends Settings {
  /** The files that they are from, and those that could appear; `undefined`: they cannot be told. */
  readonly files: readonly string[] | undefined;
  readonly stamp: string;
  /** The file of the machine, which may not exist; empty if git does not tell it. */
  readonly system: string | undefined;
}

const kept = boundedCache<KeptSettings>(8 * 1024 * 1024, ({ records }) =>
  records.reduce((sum, it) => sum + it.length, 0),
);

/** @throws {GitError} */
export async function settingsOf(git: Git): Promise<Settings> {
  const key = settingsKey(git);
  const now = Date.now();
  const earlier = kept.find(key);
  if (earlier?.files && stampOf(earlier.files, 0).stamp === earlier.stamp) return earlier;
  // A process that asks only once need not know where else settings could be.
  const [listing, system] = await Promise.all([
    git.text(['config', '--list', '-z', '--show-origin']),
    earlier && (earlier.system ?? systemFile(git)),
  ]);
  const fields = splitNul(listing);
  const records = fields.filter((_, at) => at % 2 === 1);
  const files = system === undefined ? undefined : filesOf(git, fields, system);
  const { stamp, isOld } = stampOf(files ?? [], now);
  const settings = { records, system, files: isOld ? files : undefined, stamp };
  kept.keep(key, settings);
  return settings;
}

/** Where git looks, what it is told by options, and the variables that tell it where its settings are. */
function settingsKey(git: Git): string {
  const named = Object.entries(git.env).filter(([name]) => LEADING.test(name));
  return JSON.stringify([git.directory, placeOfGit(git).gitDir, git.config, named.sort()]);
}

const LEADING = /^(?:GIT_\w+|XDG_CONFIG_HOME|HOME|PATH)$/;

/** The file of the machine. Where it has no settings, only the complaint about it tells its path. */
async function systemFile(git: Git): Promise<string> {
  const args = ['config', '--system', '--list', '-z', '--show-origin'];
  const { exitCode, stdout, stderr } = await git.attempt(args);
  const [, path = ''] =
    exitCode === 0 ? (/^file:([^\0]+)/.exec(stdout) ?? []) : (/'([^'\n]+)'/.exec(stderr) ?? []);
  return path;
}

function usualFiles(git: Git): string[] {
  const { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL } = git.env;
  const { identity, gitDir = identity } = placeOfGit(git);
  const folder = XDG_CONFIG_HOME || (HOME && join(HOME, '.config'));
  const own = [HOME && join(HOME, '.gitconfig'), folder && join(folder, 'git/config')];
  const here = [join(identity, 'config'), join(gitDir, 'config.worktree')];
  return [GIT_CONFIG_GLOBAL, ...own, ...here].flatMap((it) => it || []);
}

/** @returns `undefined` where more than the stamps of files decides. */
function filesOf(git: Git, fields: readonly string[], system: string): string[] | undefined {
  if (system === '') return undefined;
  const files = new Set([system, ...usualFiles(git)]);
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [origin = '', record = ''] = fields.slice(at, at + 2);
    if (!origin.startsWith('file:')) continue;
    const file = resolve(git.directory, origin.slice('file:'.length));
    if (!files.has(file) && !existsSync(file)) return undefined;
    files.add(file);
    const [, condition = '', path] = INCLUDE.exec(record) ?? [];
    const included = path === undefined ? file : fileIn(dirname(file), path, git);
    if (included === undefined) return undefined;
    files.add(included);
    // A branch can stand for another one, and refs can be kept in tables: HEAD alone does not tell.
    if (condition.startsWith('onbranch:')) return undefined;
  }
  return [...files];
}

const INCLUDE = /^include(?:if\.(.*))?\.path\n(.*)$/s;

/** @returns `undefined` where git's own installation, or another user's home, has it. */
function fileIn(folder: string, path: string, { env }: Git): string | undefined {
  if (path.startsWith('~/')) return env.HOME && join(env.HOME, path.slice(2));
  return /^[%~]/.test(path) ? undefined : resolve(folder, path);
}
