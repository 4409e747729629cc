/**
 * Finds which files of a repository need which others, as far as their texts show without running anything: by the
 * imports of their language, which a table of patterns finds, and by texts in quotes that are paths of the repository,
 * such as data that is read at run time. A false import counts as well: one edge too many holds a test too many, while
 * one too few would let something pass.
 */
import { posix } from 'node:path';
import { pathIndex } from '../path-index.ts';
import {
  asObject,
  asText,
  asTexts,
  type Imports,
  jsoncManifest,
  jsonManifest,
  readManifest,
  type Sources,
} from './manifest.ts';
import { moduleName } from './packages.ts';
import { ancestors, baseName, isOwn, isSource, parent, within } from './source-tree.ts';

/** Reading more files would take minutes. */
const MOST_READ = 50_000;

/** @returns the imports, and how many files of source were not read for them. */
export function projectImports(sources: Sources): {
  readonly imports: Imports;
  readonly unread: number;
} {
  const { paths, readFile } = sources;
  const all = paths.filter(isSource);
  const index = pathsIndex(paths);
  const aliases = Map.groupBy(aliasesIn(sources), ([pattern]) => headOf(pattern));
  const imports = all.slice(0, MOST_READ).map((path) => {
    const text = readManifest(readFile, path);
    const found = new Set([
      ...imported(text, path, index, aliases),
      ...quoted(text, path, index),
      ...(path.endsWith('.py') ? index.above(path, ['__init__.py', 'conftest.py']) : []),
    ]);
    found.delete(path);
    return [path, [...found]] as const;
  });
  return { imports: new Map(imports), unread: all.length - imports.length };
}

/** @returns a function for the files that a text imports by the rules of its language; texts in quotes do not count. */
export function importReader(sources: Sources) {
  const index = pathsIndex(sources.paths);
  const aliases = Map.groupBy(aliasesIn(sources), ([pattern]) => headOf(pattern));
  return (path: string, text = ''): ReadonlySet<string> =>
    new Set(imported(text, path, index, aliases, [...LANGUAGES, RUST]));
}

/** A pattern for an import, and a path from the root; each has at most one `*`. */
type Alias = readonly [pattern: string, target: string];
type Aliases = ReadonlyMap<string, readonly Alias[]>;

const headOf = (name: string): string => name.split(/[/*]/, 1)[0] ?? '';

/** Aliases from settings of TypeScript and Node, and from the names of packages and modules; the longest first. */
function aliasesIn({ paths, readFile }: Sources): readonly Alias[] {
  const found = paths.flatMap((path): readonly Alias[] => {
    const folder = parent(path);
    if (folder !== '' && !isOwn(folder)) return [];
    if (/^[jt]sconfig[\w.-]*\.json$/.test(baseName(path))) {
      const { paths: named, baseUrl } = asObject(jsoncManifest(readFile, path).compilerOptions);
      const base = posix.join(folder, asText(baseUrl));
      return Object.entries(asObject(named)).flatMap(([pattern, targets]) =>
        asTexts(targets).map((it): Alias => [pattern, posix.join(base, it)]),
      );
    }
    const isManifest = baseName(path) === 'package.json';
    if (!isManifest && baseName(path) !== 'go.mod') return [];
    const manifest = isManifest ? jsonManifest(readFile, path) : {};
    const name = isManifest ? asText(manifest.name) : moduleName(readManifest(readFile, path));
    const own = Object.entries(asObject(manifest.imports)).flatMap(([pattern, value]) =>
      textsIn(value).map((it): Alias => [pattern, posix.join(folder, it)]),
    );
    const inside: Alias[] = [within(folder, '*'), path].map((it) => [`${name}/*`, it]);
    return name === '' ? own : [...own, [name, folder], ...inside];
  });
  return found.sort(([one], [other]) => other.length - one.length);
}

/** The targets of all conditions in `imports` of a package.json. */
const textsIn = (value: unknown): readonly string[] =>
  typeof value === 'string' ? [value] : Object.values(asObject(value)).flatMap(textsIn);

function meantBy([pattern, target]: Alias, name: string): string | [] {
  const [head = '', tail] = pattern.split('*');
  if (tail === undefined) return name === pattern ? target : [];
  const isLong = name.length >= head.length + tail.length;
  if (!isLong || !name.startsWith(head) || !name.endsWith(tail)) return [];
  return target.replace('*', () => name.slice(head.length, name.length - tail.length));
}

interface Language {
  readonly files: RegExp;
  /** Each group of a match is a name. */
  readonly imports: RegExp;
  /** The name as a path, with or without an ending; none if only an alias leads to a file. */
  readonly path: (name: string) => readonly string[];
  readonly endings: readonly string[];
}

/** A module may be imported by the name of its compiled file. */
const COMPILED = /\.[cm]?jsx?$/;
const JAVASCRIPT = ['.ts', '.tsx', '.js', '.jsx', '.mts', '.cts', '.mjs', '.cjs', '.d.ts', '.json'];

/** Only languages whose tests can be divided: the files of others are one part, whatever they import. */
const LANGUAGES: readonly Language[] = [
  {
    files: /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/,
    imports: /\b(?:from|import|require|mock)\s*\(?\s*["'`]([^'"`\n$]+)["'`]/g,
    // A single word is the name of a library.
    path: (name) =>
      /^\.|\//.test(name) ? [name.replace(/^[#~@]\/?/, '').replace(COMPILED, '')] : [],
    endings: ['', ...JAVASCRIPT, ...JAVASCRIPT.map((it) => `/index${it}`), '/package.json'],
  },
  {
    files: /\.pyi?$/,
    imports:
      /^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]{0,4000}\)|[^\n#]*)|^[ \t]*import[ \t]+([\w., \t]+)|["']([a-z_]\w*(?:\.\w+)+)["']/gm,
    path: pythonPaths,
    endings: ['.py', '/__init__.py'],
  },
  {
    files: /\.go$/,
    imports: /^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"([^"\n]+)"/gm,
    path: () => [],
    endings: ['/*.go'],
  },
  {
    files: /\.php$/,
    imports: /^[ \t]*use[ \t]+(?:function[ \t]+)?([\w\\]+)/gm,
    path: (name) => [name.replaceAll('\\', '/')],
    endings: ['.php'],
  },
  {
    files: /\.(?:rb|rake)$/,
    imports: /\brequire(?:_relative)?[ \t(]*['"]([^'"\n]+)['"]/g,
    path: (name) => [name],
    endings: ['.rb', ''],
  },
];

/** The tests of a crate cannot be divided. */
const RUST: Language = {
  files: /\.rs$/,
  imports: /^[ \t]*(?:pub[ \t]+)?(?:use|mod)[ \t]+([\w:]+)/gm,
  // The last step may be a name in the file.
  path(name) {
    const steps = name.split('::').filter((it) => !['crate', 'self', 'super', ''].includes(it));
    return [steps, steps.slice(0, -1)].map((it) => it.join('/'));
  },
  endings: ['.rs', '/mod.rs'],
};

const slashed = (name: string): string => name.replaceAll('.', '/');

/** `from ..a import (b, c)` names `../a`, `../a/b` and `../a/c`. */
function pythonPaths(name: string): readonly string[] {
  const dots = /^\.*/.exec(name)?.[0].length ?? 0;
  const path = slashed(name.slice(dots));
  return [dots === 0 ? path : `./${'../'.repeat(dots - 1)}${path}`];
}

type PathsIndex = ReturnType<typeof pathsIndex>;

function pathsIndex(paths: readonly string[]) {
  const tracked = new Set(paths);
  const lastOf = (path: string, count: number) => path.split('/').slice(-count).join('/');
  const byName = Map.groupBy(paths, baseName);
  const byLastTwo = Map.groupBy(paths, (it) => lastOf(it, 2));
  const byFolder = Map.groupBy(paths, parent);
  const sorted = pathIndex(paths, (it) => it);
  return {
    tracked,
    folders: new Set([...byFolder.keys()].flatMap((it) => [it, ...ancestors(it)])),
    /** The files that a path without the right ending may name. */
    at: (path: string, { endings }: Language): readonly string[] =>
      endings.flatMap((ending) => {
        if (ending === '/*.go')
          return (byFolder.get(path) ?? []).filter((it) => it.endsWith('.go'));
        // At the root, nothing comes before the slash.
        const file = (path.replace(COMPILED, '') + ending).replace(/^\//, '');
        return tracked.has(file) ? file : [];
      }),
    inFolder: (folder: string) => sorted.within([folder]),
    /** The files of these names in the folders around a path. */
    above: (path: string, names: readonly string[]) =>
      [...ancestors(path), ''].flatMap((it) =>
        names.map((name) => within(it, name)).filter((file) => tracked.has(file)),
      ),
    /** The files whose path ends with this: the only one, or those nearest to the file that names it. */
    endingWith(suffix: string, from: string): readonly string[] {
      const known = suffix.includes('/') ? byLastTwo.get(lastOf(suffix, 2)) : byName.get(suffix);
      const all = (known ?? []).filter((it) => it === suffix || it.endsWith(`/${suffix}`));
      // A name that many files have says nothing.
      if (all.length > MOST_OF_A_NAME) return [];
      const near = all.map((it) => shared(it, from));
      return all.filter((_, at) => near[at] === Math.max(...near));
    },
  };
}

const MOST_OF_A_NAME = 50;

/** How many folders two paths have in common. */
function shared(one: string, other: string): number {
  const steps = other.split('/');
  const differs = one.split('/').findIndex((step, at) => step !== steps[at]);
  return differs === -1 ? steps.length : differs;
}

function imported(
  text: string,
  from: string,
  index: PathsIndex,
  aliases: Aliases,
  languages = LANGUAGES,
): readonly string[] {
  const language = languages.find(({ files }) => files.test(from));
  if (language === undefined) return [];
  const names = [...text.matchAll(language.imports)].flatMap(([, first, list, plain, quote]) => {
    const listed = (it = '') => it.match(/[\w.]+(?=[ \t]*(?:,|$|\)|\n|as\b|#))/g) ?? [];
    if (list === undefined) return plain === undefined ? [first ?? quote ?? ''] : listed(plain);
    const dot = first?.endsWith('.') ? '' : '.';
    return [first ?? '', ...listed(list).map((it) => `${first}${dot}${it}`)];
  });
  return names.flatMap((name) => {
    const known = [headOf(name), ''].flatMap((head) => aliases.get(head) ?? []);
    const meant = known.flatMap((it) => meantBy(it, name)).map((it) => index.at(it, language));
    const paths = () => language.path(name).flatMap((it) => resolved(it, from, language, index));
    return meant.find((it) => it.length > 0) ?? paths();
  });
}

/** Finds a path beside the file or below a folder around it, else anywhere by its last steps. */
function resolved(
  path: string,
  from: string,
  language: Language,
  index: PathsIndex,
): readonly string[] {
  if (path === '' || path.startsWith('/')) return [];
  const above = [...ancestors(from), ''];
  const roots = above.flatMap((it) => [it, within(it, 'src'), within(it, 'lib')]);
  const bases = path.startsWith('.') ? [parent(from)] : roots;
  for (const base of bases) {
    const found = index.at(posix.join(base, path), language);
    if (found.length > 0) return found;
  }
  if (path.startsWith('.')) return [];
  const steps = path.split('/');
  // A single word is the name of a library.
  for (let at = 0; at <= steps.length - 2; at += 1) {
    const rest = steps.slice(at).join('/');
    const found = language.endings.flatMap((it) => index.endingWith(rest + it, from));
    if (found.length > 0) return found;
  }
  return [];
}

const QUOTED = /(["'`])((?:(?!\1)[^\\\n]){1,300})\1/g;
/** A single word names a folder only if a path is made of it. */
const MAKES_PATHS = /path|join|resolve|dir|glob|open|read|load|import|require|include|file|url/i;
const MAX_LINE = 2_000;
/** A folder with more files is no list of plug-ins or data. */
const MOST_IN_FOLDER = 500;

/** Files, and all files of a folder, that texts in quotes name; the texts of one line may be the steps of one path. */
function quoted(text: string, from: string, index: PathsIndex): readonly string[] {
  return text.split('\n').flatMap((line) => {
    if (line.length > MAX_LINE) return [];
    const texts = Array.from(line.matchAll(QUOTED), ([, , it = '']) => it);
    const embedded = /^\/\/go:embed[ \t]+(.+)/.exec(line)?.[1]?.split(/[ \t]+/) ?? [];
    const named = (it: string) => filesAt(it, from, MAKES_PATHS.test(line), index);
    const joined = texts.length > 1 ? named(texts.join('/')) : [];
    return joined.length > 0 ? joined : [...texts, ...embedded].flatMap(named);
  });
}

function filesAt(
  text: string,
  from: string,
  isPath: boolean,
  index: PathsIndex,
): readonly string[] {
  // The part before the first inserted value names the folder.
  const [fixed = ''] = text.split(/[$%*?{<]/, 1);
  const isWhole = fixed === text;
  const dotted = isPath && /^[a-z_]\w*\.(?:\w+\.)*$/.test(fixed) ? slashed(fixed) : fixed;
  const path = isWhole ? dotted : dotted.slice(0, dotted.lastIndexOf('/') + 1);
  const steps = path.replace(/\/+$|^(?:\.?\/)+/g, '');
  if (/^[./]*$|\s/.test(steps)) return [];
  const isFolder = (at: string) =>
    (isPath || steps.includes('/')) && index.folders.has(at) && !from.startsWith(`${at}/`);
  const places = [...ancestors(from), ''].map((base) => posix.join(base, steps));
  const place = places.find((at) => (isWhole && index.tracked.has(at)) || isFolder(at));
  if (place !== undefined && index.tracked.has(place)) return [place];
  if (place !== undefined) return index.inFolder(place).slice(0, MOST_IN_FOLDER);
  const plain = steps.replace(/^(?:\.\.\/)+/, '');
  return isWhole && /\.\w+$/.test(plain) ? index.endingWith(plain, from) : [];
}
