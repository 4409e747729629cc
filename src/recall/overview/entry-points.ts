/** Finds where programs and libraries start: names in manifests, and customary names. */
import { posix } from 'node:path';
import {
  asObject,
  asText,
  jsonManifest,
  type ReadFile,
  tomlManifest,
} from '../../features/discover/manifest.ts';
import { baseName, isOwn, isTest, parent, within } from '../../features/discover/source-tree.ts';

export interface EntryPoint {
  /** A file, or `module:function` of Python. */
  readonly path: string;
  /** The command that starts it; empty where it has no name. */
  readonly name: string;
  /** A path in the repository; files that a build makes are not in it. */
  readonly present: boolean;
}

const MOST = 15;

const CUSTOMARY =
  /(?:^|\/)(?:main\.(?:go|rs|py|swift|kt|dart|c|cc|cpp|zig)|__main__\.py|manage\.py|Program\.cs|(?:Main|\w*Application)\.(?:java|kt)|src\/bin\/[\w-]+\.rs|lib\.rs)$/;
/** Files with these names start a program at the root of a package, or in its `src`. */
const OF_PACKAGE = /^(?:main|index|cli|server|app)\.(?:[cm]?[jt]sx?|py|rb|php)$/;

export function entryPoints(
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
  const found = new Map<string, EntryPoint>();
  for (const { path, name } of [...named, ...customary.map((path) => ({ path, name: '' }))]) {
    if (!found.has(path)) found.set(path, { path, name, present: tracked.has(path) });
  }
  return [...found.values()].slice(0, MOST);
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
