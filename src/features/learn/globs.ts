/**
 * The globs of a feature for a set of files: those that it has, as far as they fit, then folders of which
 * all files of one ending belong to it, then single files. No file is left out. Pure.
 */
import { posix } from 'node:path';
import { isTest, literal, parent } from '../discover/source-tree.ts';
import { matcher } from '../match.ts';

/** More lines are not read. */
const MOST_LINES = 30;

export interface NewGlobs {
  readonly files: readonly string[];
  /** Folders that are taken as a whole, although not all in them was read: there would be too many lines. */
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
    // One that keeps out what is needed makes way for smaller ones.
    (glob) => glob.startsWith('!') && !needed.some(matcher([glob.slice(1)]).matches),
  );
  const includes = before.filter((glob) => {
    const matched = paths.filter(matcher([glob, ...excludes]).matches);
    // Of a folder that mostly belongs to others its own files are listed.
    const isFitting = matched.filter((it) => owned.has(it)).length * 2 > matched.length;
    return !glob.startsWith('!') && (matched.length === 0 || isFitting);
  });
  const { matches } = matcher([...includes, ...excludes]);
  const isNamed = (path: string) => commands.some((it) => it.includes(posix.basename(path)));
  const missing = needed.filter((path) => !matches(path));
  const listed = generalised(missing, paths, (path) => owned.has(path) && !isNamed(path));
  const foreign = paths.filter((path) => matches(path) && !owned.has(path));
  const out = generalised(foreign, paths, (path) => !owned.has(path)).map((it) => `!${it}`);
  const room = MOST_LINES - includes.length - excludes.length - out.length;
  const lines = shortened(listed, Math.max(1, room));
  const wide = lines.filter((it) => !listed.includes(it));
  return { files: [...includes, ...lines, ...excludes, ...out], wide };
}

/**
 * Globs for some files; one of a folder matches several files, and only such as `fits`. Folders above are
 * taken only where there are too many lines: new files in them may belong to others.
 */
function generalised(
  files: readonly string[],
  paths: readonly string[],
  fits: (path: string) => boolean,
  reach: 'folder' | 'above' = 'folder',
): string[] {
  let left = files;
  const candidates = new Set(files.flatMap((path) => foldersOf(path, reach)));
  const globs = [...candidates].filter((glob) => {
    const { matches } = matcher([glob]);
    const matched = left.some(matches) ? paths.filter(matches) : [];
    if (matched.length < 2 || !matched.every(fits)) return false;
    left = left.filter((path) => !matches(path));
    return true;
  });
  const lines = [...globs, ...left.map(literal)].sort();
  const isLong = lines.length > MOST_LINES && reach === 'folder';
  return isLong ? generalised(files, paths, fits, 'above') : lines;
}

/** Globs of the folders that a file is in, the outermost first: of all files in it, and of those of its ending. */
function foldersOf(path: string, reach: 'folder' | 'above'): string[] {
  const name = posix.basename(path);
  const ending = literal(isTest(path) ? name.replace(/^[^.]*/, '') : posix.extname(name));
  const globs = ending === '' || parent(path) === '' ? [] : [`${literal(parent(path))}/*${ending}`];
  if (reach === 'folder') return globs;
  for (let folder = parent(path); folder !== ''; folder = parent(folder))
    globs.unshift(`${literal(folder)}/**`, `${literal(folder)}/**/*${ending}`);
  return globs;
}

/** Goes up to a whole folder, the one with most lines first, until there are few enough. */
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
