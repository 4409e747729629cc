/**
 * What a project is, for who is new in it: languages, packages, how it is built, tested and run, where it
 * starts, where most of it lies, what changes most, and its features.
 *
 * Pure: the caller supplies the paths, reads manifests and counts changes.
 */
import type { Feature } from '../../base/config/feature.ts';
import { asObject, asText, jsonManifest, tomlManifest } from '../../features/discover/manifest.ts';
import { javaScriptRoot, packageParts, projectNames } from '../../features/discover/packages.ts';
import { isSource, sourceTree } from '../../features/discover/source-tree.ts';
import { coverage } from '../../features/match.ts';
import type { Changes } from '../changes.ts';
import { isIndexable } from '../code/indexable.ts';
import { commandsOf, type ProjectCommand } from './commands.ts';
import { type EntryPoint, entryPoints } from './entry-points.ts';
import { biggestFolders, type Folder } from './folders.ts';
import { type Language, languagesOf } from './languages.ts';

export interface Overview {
  readonly name: string;
  /** The description of its manifest; empty if it says nothing. */
  readonly about: string;
  /** The languages, that of the most files first. */
  readonly languages: readonly Language[];
  readonly packages: readonly { readonly name: string; readonly folder: string }[];
  readonly commands: readonly ProjectCommand[];
  readonly entryPoints: readonly EntryPoint[];
  readonly folders: readonly Folder[];
  /** Files of source, the most often changed first, and of how many commits that is. */
  readonly changed: {
    readonly commits: number;
    readonly files: readonly { readonly path: string; readonly commits: number }[];
  };
  readonly features: readonly { readonly name: string; readonly files: number }[];
}

export interface Project {
  /** The path of its folder. */
  readonly name: string;
  /** Relative to the root, without those of which nothing may be kept. */
  readonly paths: readonly string[];
  readonly readFile: (path: string) => string | undefined;
  readonly features: readonly Feature[];
  readonly changes: Changes;
}

const MOST_CHANGED = 10;
/** A file that changed less often stands out by chance. */
const FEWEST_CHANGES = 3;

export function overviewOf({ name, paths, readFile, features, changes }: Project): Overview {
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
    about: aboutOf(read),
    languages: languagesOf(source),
    packages,
    commands: commandsOf(tree, read, javaScript),
    entryPoints: entryPoints(own, read, packages),
    folders: biggestFolders(source),
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
