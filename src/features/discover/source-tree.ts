/** The tracked paths of a repository as folders, with the questions that discovery asks of them. */
import { upwards } from '../../base/git/tree-entry.ts';
import { pathIndex } from '../path-index.ts';

const SOURCE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro|py|pyx|go|rs|java|kts?|scala|groovy|rb|php|cs|fs|vb|swift|mm?|cc?|cpp|cxx|hh?|hpp|ex|exs|erl|hs|ml|clj[cs]?|dart|lua|pl|pm|r|jl|zig|nim|sol|sh|bash|ps1|sql)$/i;

const TEST =
  /(?:[._-](?:test|spec|e2e)\.[^.]+|(?:^|\/)test_[^/]+|(?:_test|_spec|Tests?|Spec)\.[^.]+)$/;

/** Folders of vendored code, build output, documentation and tests. */
const NO_FEATURE = new Set(
  `node_modules vendor third_party bower_components dist build out target bin obj coverage generated
  __pycache__ __snapshots__ __mocks__ __fixtures__ fixtures testdata test_data migrations
  docs doc documentation examples example samples demo demos benchmarks benchmark bench assets static public
  test tests __tests__ spec specs e2e cypress`.split(/\s+/),
);

export interface SourceTree {
  /** Files directly in a folder, as full paths; `''` is the root. */
  files(folder: string): readonly string[];
  /** Files in a folder and below. */
  filesIn(folder: string): readonly string[];
  has(folder: string): boolean;
  /** Every folder but the root, sorted. */
  allFolders(): readonly string[];
  /** Folders directly in a folder that contain source, without those for which `isOwn` is false. */
  sourceFolders(folder: string): readonly string[];
  /** True if a source file lies in the folder or below, tests and vendored code included. */
  hasSource(folder: string): boolean;
}

export function sourceTree(paths: readonly string[]): SourceTree {
  const index = pathIndex(paths, (path) => path);
  const files = Map.groupBy(paths, parent);
  const all = new Set(paths.flatMap(ancestors));
  const sorted = [...all].filter(isSpeakable).sort();
  const folders = Map.groupBy(sorted, parent);
  const withSource = new Set(paths.filter(isSource).flatMap((it) => ['', ...ancestors(it)]));
  return {
    files: (folder) => files.get(folder) ?? [],
    filesIn: (folder) => index.within([folder]),
    has: (folder) => all.has(folder),
    allFolders: () => sorted,
    hasSource: (folder) => withSource.has(folder),
    sourceFolders: (folder) =>
      (folders.get(folder) ?? []).filter((it) => withSource.has(it) && isOwn(baseName(it))),
  };
}

export const isSource = (path: string): boolean => SOURCE.test(path);
export const isTest = (path: string): boolean => isSource(path) && TEST.test(path);

/** A path without characters that have a meaning in a pattern or a shell. */
export const isPlain = (path: string): boolean => /^[A-Za-z0-9_.][\w./@+-]*$/.test(path);

/** False for vendored code, build output, documentation and tests. */
export function isOwn(folder: string): boolean {
  return folder.split('/').every((name) => !name.startsWith('.') && !NO_FEATURE.has(name));
}

/** False for odd paths that a pattern cannot express; people have to add them. */
export const isSpeakable = (path: string): boolean =>
  /^[\p{L}\p{M}\p{N} _.@+=,~#%&;/()[\]{}$^-]+$/u.test(path) &&
  !/(?:^|\/)(?:\.{0,2}(?:\/|$)|\.\.[^\w\s.])/.test(path);

export const parent = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const within = (folder: string, path: string): string =>
  folder === '' ? path : `${folder}/${path}`;

/** The folders that a path is in, the nearest first. */
export const ancestors = (path: string): readonly string[] =>
  [...upwards(parent(path))].filter((it) => it !== '');

/** A path as a glob that matches only itself. */
export const literal = (path: string): string => path.replace(/^!|[*?[\]{}()|+@$^]/g, '\\$&');
export const everythingIn = (folder: string): string => `${literal(folder)}/**`;
