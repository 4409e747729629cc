/**
 * Ids of changed files that a process keeps: git has to be started for them, since it works them out through
 * its filters.
 */
import { dirname, join } from 'node:path';
import { boundedCache } from '../bounded-cache.ts';
import { stampOf } from '../files/file-stamp.ts';
import { sha256 } from '../text/sha256.ts';
import type { Git } from './git.ts';
import { placeOfGit } from './project.ts';
import {
  fileIn,
  type KeptSettings,
  keptSettings,
  settingsKey,
  userFile,
  valuesOf,
} from './settings.ts';
import { upwards } from './tree-entry.ts';

/** By what `hashKeys` tells. */
export const keptHashes = boundedCache<string>(4 * 1024 * 1024, ({ length }) => length);

/**
 * What the id of a changed file depends on: stamps of the file, of the index, of git's settings, and of all
 * files of attributes that can say something about it. To be told before git is asked for the id.
 *
 * @param root of the working tree, where git runs.
 * @returns gives `undefined` where this is not certain: one of them has just changed, or a filter is a program.
 */
export function hashKeys(git: Git, root: string) {
  const now = Date.now();
  const settings = keptSettings(git);
  const shared = settings && sharedFiles(git, root, settings);
  if (shared === undefined) return () => undefined;
  const { stamp, isOld } = stampOf(shared, now);
  if (!isOld) return () => undefined;
  const common = sha256([settingsKey(git), settings?.stamp, stamp].join('\n'));
  return (path: string, { isTracked }: { readonly isTracked: boolean }): string | undefined => {
    const attributes = [...upwards(dirname(path))].map((it) => join(root, it, '.gitattributes'));
    const own = stampOf([join(root, path), ...attributes], now);
    return own.isOld ? [common, isTracked, path, own.stamp].join('\n') : undefined;
  };
}

/** The index, by whose line ends git converts those of a file or not, and attributes for all folders. */
function sharedFiles(git: Git, root: string, settings: KeptSettings): string[] | undefined {
  if (settings.records.some((it) => PROGRAM.test(it) || it.startsWith('attr.tree\n')))
    return undefined;
  const { identity, gitDir = identity } = placeOfGit(git);
  const named = valuesOf(settings, 'core.attributesfile').at(-1);
  const ofUser = named === undefined ? userFile(git, 'attributes') : fileIn(root, named, git);
  if (ofUser === undefined) return undefined;
  const system = join(dirname(settings.system ?? ''), 'gitattributes');
  return [join(gitDir, 'index'), join(identity, 'info/attributes'), system, ofUser].flat();
}

/** A program may give another answer at any time; that of Git LFS does not. */
const PROGRAM = /^filter\.(?!lfs\.(?:clean|process)\ngit-lfs )[^\n]*\.(?:clean|process)\n/s;
