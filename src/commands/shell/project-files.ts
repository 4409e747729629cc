/** Names of the project's files, as the shell gives them for `ci/*.sh`, and `find` for a folder. */
import { resolve } from 'node:path';
import { LIMITS } from '../limits.ts';
import type { Frame } from '../reader.ts';
import { matchesGlob } from './glob.ts';
import { isKnown, UNKNOWN } from './unknown.ts';

/** A word with one of these characters, unquoted, is a pattern. */
const SPECIAL = /[*?[]/;

/** True if a word in which quoted characters are escaped is a pattern. */
export const isPattern = (word: string): boolean => SPECIAL.test(word.replace(/\\./gs, ''));

/** The files that match a pattern. `**` stands for any number of folders, as it does in zsh. */
export function filesMatching(pattern: string, frame: Frame): readonly string[] {
  const starts = pattern.startsWith('/') ? ['/'] : frame.state.directories;
  if (!isKnown(pattern)) return [];
  return limited(
    starts.flatMap((it) => (it === undefined ? [] : pathsMatching(pattern, it, frame))),
  );
}

/** The files that match below one folder, without a limit of their number. */
export function pathsMatching(pattern: string, start: string, frame: Frame): readonly string[] {
  const steps = pattern.split('/');
  const first = steps.findIndex(isPattern);
  let paths = [
    steps
      .slice(0, first)
      .map((it) => `${it.replace(/\\(.)/gs, '$1')}/`)
      .join(''),
  ];
  for (const [at, step] of steps.entries()) {
    const isLast = at === steps.length - 1;
    // The slash at the end of `*/` belongs to the step before it.
    if (at < first || (isLast && step === '')) continue;
    paths = paths.slice(0, MOST_ENTRIES).flatMap((path) => {
      if (step === '**' && !isLast) return foldersBelow(path, start, frame);
      const entries = entriesOf(resolve(start, path), step, frame);
      return isLast
        ? entries.map((it) => path + it.replace(/\/$/, ''))
        : entries.flatMap((it) => (it.endsWith('/') ? [path + it] : []));
    });
  }
  return paths;
}

/** A pattern does not match a leading dot by itself. */
const entriesOf = (folder: string, pattern: string, { reader }: Frame): readonly string[] =>
  reader.entries(folder).filter((it) => {
    const isHidden = it.startsWith('.') && !/^\\?\./.test(pattern);
    return !isHidden && matchesGlob(pattern, it.replace(/\/$/, ''));
  });

function foldersBelow(path: string, start: string, frame: Frame): readonly string[] {
  const below = entriesBelow(path || '.', start, frame);
  const folders = below.filter((it) => it === UNKNOWN || it.endsWith('/'));
  return [path, ...folders.map((it) => it.replace(/^\.\//, ''))];
}

const MOST_ENTRIES = 4_000;
const MOST_FOLDERS = 200;
/** Folders that hold the work of others, or what git stores; git's hooks and settings are read. */
const NOT_OF_PROJECT = /(?:^|\/)(?:node_modules|\.git\/(?!hooks\/|info\/)[^/]+)\/$/;

/** Everything below a folder, folders with a slash at the end; past the limit, an unknown name as well. */
export function entriesBelow(
  path: string,
  start: string,
  frame: Frame,
  deepest = Number.POSITIVE_INFINITY,
): readonly string[] {
  const all: string[] = [];
  const folders = [path.replace(/\/?$/, '/')];
  const depthOf = (folder: string): number => folder.split('/').length;
  const limit = depthOf(folders[0] ?? '') + deepest;
  for (const folder of folders) {
    if (depthOf(folder) >= limit) break;
    for (const entry of frame.reader.entries(resolve(start, folder))) {
      all.push(folder + entry);
      if (entry.endsWith('/') && !NOT_OF_PROJECT.test(folder + entry)) folders.push(folder + entry);
    }
    if (all.length > MOST_ENTRIES || folders.length > MOST_FOLDERS) return [...all, UNKNOWN];
  }
  return all;
}

/** The paths in the order in which the shell gives them; an unknown one stands for those past the limit. */
export function limited(paths: readonly string[]): readonly string[] {
  const sorted = [...new Set(paths)].sort();
  if (sorted.length <= LIMITS.files && sorted.every(isKnown)) return sorted;
  const [first = ''] = sorted;
  const folder = first.slice(0, first.lastIndexOf('/') + 1);
  return [...sorted.filter(isKnown).slice(0, LIMITS.files), folder + UNKNOWN];
}
