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

type Fits = (path: string) => boolean;

/**
 * Globs for some files; one for a folder matches several files, and only such as `fits`. Outer folders are
 * taken only where there are too many lines: new files in them may belong to others.
 */
function generalised(files: readonly string[], paths: readonly string[], fits: Fits): string[] {
  const near = folded(files, paths, fits, [1]);
  return near.length <= MOST_LINES ? near : folded(files, paths, fits, [0, 1]);
}

/** @param levels which of the candidates for a file are tried. */
function folded(
  files: readonly string[],
  paths: readonly string[],
  fits: Fits,
  levels: readonly number[],
): string[] {
  let left = files;
  const candidates = levels.flatMap((level) =>
    files.flatMap((it) => candidatesFor(it)[level] ?? []),
  );
  const globs = [...new Set(candidates)].filter((glob) => {
    const { matches } = matcher([glob]);
    const matched = left.some(matches) ? paths.filter(matches) : [];
    if (matched.length < 2 || !matched.every(fits)) return false;
    left = left.filter((path) => !matches(path));
    return true;
  });
  return [...globs, ...left.map(literal)].sort();
}

/** Globs of outer folders, the outermost first, and of the folder that a file is in. */
function candidatesFor(path: string): readonly [string[], string[]] {
  const name = posix.basename(path);
  const ending = literal(isTest(path) ? name.replace(/^[^.]*/, '') : posix.extname(name));
  const outer: string[] = [];
  for (let folder = parent(path); folder !== ''; folder = parent(folder))
    outer.unshift(`${literal(folder)}/**`, `${literal(folder)}/**/*${ending}`);
  const isInFolder = parent(path) !== '' && ending !== '';
  return [outer, isInFolder ? [`${literal(parent(path))}/*${ending}`] : []];
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
