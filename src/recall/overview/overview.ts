/**
 * An overview of a project for newcomers: languages, packages, how it is built, tested and run, its entry points, its
 * largest folders, what changes most, and its features.
 *
 * Pure: the caller supplies the paths, reads manifests and counts changes.
 */
import { posix } from 'node:path';
import type { Feature } from '../../base/config/feature.ts';
import {
  asObject,
  asText,
  jsonManifest,
  type ReadFile,
  tomlManifest,
} from '../../features/discover/manifest.ts';
import { javaScriptRoot, packageParts, projectNames } from '../../features/discover/packages.ts';
import {
  baseName,
  isOwn,
  isSource,
  isTest,
  parent,
  sourceTree,
  within,
} from '../../features/discover/source-tree.ts';
import { coverage } from '../../features/match.ts';
import type { Changes } from '../changes.ts';
import { isIndexable } from '../code/indexable.ts';
import { commandsOf } from './commands.ts';

export type Overview = ReturnType<typeof overviewOf>;

export interface Project {
  /** The path of its folder. */
  readonly name: string;
  /** Relative to the root, without those that must not be recorded. */
  readonly paths: readonly string[];
  readonly readFile: (path: string) => string | undefined;
  readonly features: readonly Feature[];
  readonly changes: Changes;
}

const MOST_CHANGED = 10;
/** Fewer changes may be by chance. */
const FEWEST_CHANGES = 3;

export function overviewOf({ name, paths, readFile, features, changes }: Project) {
  const own = paths.filter(isIndexable).sort();
  const tracked = new Set(paths);
  const read = (path: string) => (tracked.has(path) ? readFile(path) : undefined);
  const source = own.filter(isSource);
  const tree = sourceTree(paths);
  const javaScript = javaScriptRoot(tree, read);
  const packages = packageParts(tree, read).map(({ names, folder }) => ({
    name: names.find((it) => it !== '') ?? folder,
    folder,
  }));
  const [named] = projectNames(javaScript, read).filter((it) => it !== '');
  const { byFeature } = coverage(features, own);
  return {
    name: named ?? name,
    /** The description in its manifest; empty if it has none. */
    about: aboutOf(read),
    languages: languagesOf(source),
    packages,
    commands: commandsOf(tree, read, javaScript),
    entryPoints: entryPoints(own, read, packages),
    folders: biggestFolders(source),
    /** The source files that changed most often, and the number of commits that were counted. */
    changed: {
      commits: changes.commits,
      files: [...changes.counts]
        .filter(([path, count]) => count >= FEWEST_CHANGES && tracked.has(path) && isSource(path))
        .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
        .slice(0, MOST_CHANGED)
        .map(([path, commits]) => ({ path, commits })),
    },
    features: features
      .map((it, at) => ({ name: it.name, files: byFeature[at]?.files ?? 0 }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function aboutOf(readFile: Project['readFile']): string {
  const python = tomlManifest(readFile, 'pyproject.toml');
  const said = [
    jsonManifest(readFile, 'package.json').description,
    asObject(tomlManifest(readFile, 'Cargo.toml').package).description,
    asObject(python.project).description,
    asObject(asObject(python.tool).poetry).description,
    jsonManifest(readFile, 'composer.json').description,
  ];
  return said.map(asText).find((it) => it !== '') ?? '';
}

/** Names of languages with the endings of their files. */
const LANGUAGES = `
  TypeScript: ts tsx mts cts; JavaScript: js jsx mjs cjs; Vue: vue; Svelte: svelte; Astro: astro; Python: py pyx;
  Go: go; Rust: rs; Java: java; Kotlin: kt kts; Scala: scala; Groovy: groovy; Ruby: rb; PHP: php; C#: cs; F#: fs;
  Visual Basic: vb; Swift: swift; Objective-C: m mm; C: c h; C++: cc cpp cxx hh hpp; Elixir: ex exs; Erlang: erl;
  Haskell: hs; OCaml: ml; Clojure: clj cljs cljc; Dart: dart; Lua: lua; Perl: pl pm; R: r; Julia: jl; Zig: zig;
  Nim: nim; Solidity: sol; Shell: sh bash; PowerShell: ps1; SQL: sql`;

const BY_ENDING = new Map(
  LANGUAGES.split(';').flatMap((row) => {
    const [name = '', endings = ''] = row.trim().split(': ');
    return endings.split(' ').map((ending) => [ending, name] as const);
  }),
);

const MOST_LANGUAGES = 8;

/** By the names of files; the language with the most files comes first. */
function languagesOf(paths: readonly string[]) {
  const byName = Map.groupBy(paths, (path) =>
    BY_ENDING.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase()),
  );
  return [...byName]
    .flatMap(([name, { length: files }]) => (name === undefined ? [] : { name, files }))
    .sort((a, b) => b.files - a.files || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_LANGUAGES);
}

interface EntryPoint {
  /** A file, or `module:function` of Python. */
  readonly path: string;
  /** The command that starts it; empty if it has no name. */
  readonly name: string;
  /** True if the path is in the repository; build results are not. */
  readonly present: boolean;
}

const MOST_ENTRY_POINTS = 15;

const CUSTOMARY =
  /(?:^|\/)(?:main\.(?:go|rs|py|swift|kt|dart|c|cc|cpp|zig)|__main__\.py|manage\.py|Program\.cs|(?:Main|\w*Application)\.(?:java|kt)|src\/bin\/[\w-]+\.rs|lib\.rs)$/;
/** Files with these names start a program at the root of a package, or in its `src`. */
const OF_PACKAGE = /^(?:main|index|cli|server|app)\.(?:[cm]?[jt]sx?|py|rb|php)$/;

/** Entry points of programs and libraries: names in manifests, and customary names. */
function entryPoints(
  paths: readonly string[],
  readFile: ReadFile,
  packages: readonly { readonly folder: string }[],
): EntryPoint[] {
  const tracked = new Set(paths);
  const roots = new Set(['', ...packages.map(({ folder }) => folder)]);
  const named = [...roots].flatMap((folder) => [
    ...ofPackageJson(folder, jsonManifest(readFile, within(folder, 'package.json'))),
    ...ofPython(tomlManifest(readFile, within(folder, 'pyproject.toml'))),
  ]);
  const customary = paths.filter((path) => {
    const folder = parent(path);
    if (isTest(path) || (folder !== '' && !isOwn(folder))) return false;
    const root = baseName(folder) === 'src' ? parent(folder) : folder;
    return CUSTOMARY.test(path) || (roots.has(root) && OF_PACKAGE.test(baseName(path)));
  });
  const all: Named[] = [...named, ...customary.map((path) => ({ path, name: '' }))];
  return [...Map.groupBy(all, ({ path }) => path).values()]
    .flatMap(([first]) => first ?? [])
    .slice(0, MOST_ENTRY_POINTS)
    .map((it) => ({ ...it, present: tracked.has(it.path) }));
}

type Named = Pick<EntryPoint, 'path' | 'name'>;

function ofPackageJson(folder: string, manifest: ReturnType<typeof jsonManifest>): Named[] {
  const { bin, name } = manifest;
  const bins =
    typeof bin === 'string'
      ? [[asText(name).replace(/^@[^/]*\//, ''), bin] as const]
      : Object.entries(asObject(bin));
  return [...bins, ['', manifest.main] as const].flatMap(([command, path]) => {
    const file = posix.join(folder, asText(path));
    return asText(path) === '' || file.startsWith('..') ? [] : { path: file, name: command };
  });
}

function ofPython(manifest: ReturnType<typeof tomlManifest>): Named[] {
  const scripts = asObject(asObject(manifest.project).scripts);
  return Object.entries(scripts).flatMap(([name, path]) =>
    typeof path === 'string' ? { path, name } : [],
  );
}

const MOST_FOLDERS = 12;
/** Files in deeper folders count for the one at this depth. */
const DEEPEST = 3;

/** The folders with most of the source, the largest first. */
function biggestFolders(paths: readonly string[]) {
  const nested = paths.filter((path) => parent(path) !== '');
  const byFolder = Map.groupBy(nested, (path) =>
    parent(path).split('/').slice(0, DEEPEST).join('/'),
  );
  return [...byFolder]
    .map(([path, { length: files }]) => ({ path, files }))
    .sort((a, b) => b.files - a.files || (a.path < b.path ? -1 : 1))
    .slice(0, MOST_FOLDERS);
}
