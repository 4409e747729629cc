/**
 * Finds the globs of a feature for a set of files: those that it already has, as far as they fit, then folders in which
 * all files of one ending belong to it, then single files. No file is left out. Pure.
 */
import { posix } from 'node:path';
import { isTest, literal, parent } from '../discover/source-tree.ts';
import { matcher } from '../match.ts';

/** The most lines that a person will read. */
const MOST_LINES = 30;

export interface NewGlobs {
  readonly files: readonly string[];
  /** Folders that are taken whole although not all their files were read, because there would be too many lines. */
  readonly wide: readonly string[];
}

/** @param commands smoke tests: a file that one of them names is no sample of its folder. */
export function globsFor(
  before: readonly string[],
  owned: ReadonlySet<string>,
  paths: readonly string[],
  commands: readonly string[],
): NewGlobs {
  const present = new Set(paths.filter(matcher(before).matches));
  if (present.symmetricDifference(owned).size === 0) return { files: before, wide: [] };
  const needed = [...owned];
  const excludes = before.filter(
    // A glob that excludes a needed file is replaced by smaller ones.
    (glob) => glob.startsWith('!') && !needed.some(matcher([glob.slice(1)]).matches),
  );
  const includes = before.filter((glob) => {
    const matched = paths.filter(matcher([glob, ...excludes]).matches);
    // If most files of a folder belong to others, the feature's files are listed one by one.
    const isFitting = matched.filter((it) => owned.has(it)).length * 2 > matched.length;
    return !glob.startsWith('!') && (matched.length === 0 || isFitting);
  });
  const { matches } = matcher([...includes, ...excludes]);
  const isNamed = (path: string) => commands.some((it) => it.includes(posix.basename(path)));
  const missing = needed.filter((path) => !matches(path));
  const listed = generalised(missing, paths, (path) => owned.has(path) && !isNamed(path));
  const foreign = paths.filter((path) => matches(path) && !owned.has(path));
  const others = generalised(foreign, paths, (path) => !owned.has(path)).map((it) => `!${it}`);
  // A file that is not needed may stay, since it only holds more.
  const out = others.length > MOST_LINES ? [] : others;
  const room = MOST_LINES - includes.length - excludes.length - out.length;
  const lines = shortened(listed, Math.max(1, room));
  const wide = lines.filter((it) => !listed.includes(it));
  return { files: [...includes, ...lines, ...excludes, ...out], wide };
}

/** Globs for some files: folder and ending, if all files that this matches fit, else single files. */
function generalised(
  files: readonly string[],
  paths: readonly string[],
  fits: (path: string) => boolean,
): string[] {
  const byGlob = Map.groupBy(files, globOfFolder);
  const globs = [...byGlob].flatMap(([glob, own]) => {
    const matched = glob === '' ? [] : paths.filter(matcher([glob]).matches);
    return matched.length > 1 && matched.every(fits) ? glob : own.map(literal);
  });
  return globs.sort();
}

/** The glob for all files with the same ending in a file's folder; empty if that would be the root, or any file. */
function globOfFolder(path: string): string {
  const name = posix.basename(path);
  const ending = isTest(path) ? name.replace(/^[^.]*/, '') : posix.extname(name);
  const folder = parent(path);
  return ending === '' || folder === '' ? '' : `${literal(folder)}/*${literal(ending)}`;
}

/** Joins globs into whole folders, the folder with most lines first, until there are few enough. */
function shortened(globs: readonly string[], most: number): readonly string[] {
  if (globs.length <= most) return globs;
  const byFolder = Map.groupBy(globs, (glob) => parent(glob.replace(/\/\*\*(?:\/\*[^/]*)?$/, '')));
  byFolder.delete('');
  const [fullest] = [...byFolder].sort(([, a], [, b]) => b.length - a.length);
  if (fullest === undefined) return globs;
  const [folder] = fullest;
  const others = globs.filter((it) => !it.startsWith(`${folder}/`));
  return shortened([...others, `${folder}/**`].sort(), most);
}
