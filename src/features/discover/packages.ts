/** Packages of Cargo, Go and Python, and the folders that workspaces of any kind name. */
import picomatch from 'picomatch';
import type { JsonObject } from '../../text/json.ts';
import {
  asObject,
  asText,
  asTexts,
  type Package,
  type ReadFile,
  readManifest,
  smokeTest,
  tomlManifest,
} from './manifest.ts';
import { baseName, everythingIn, parent, type SourceTree, within } from './source-tree.ts';

/** Limits on folders and globs; more would add little to a draft. */
const MAX_FOLDERS = 500;
const MAX_GLOBS = 200;
const MAX_PROJECTS = 200;

/**
 * The folders that a list of workspace globs names and that have a manifest; `!` excludes.
 *
 * The globs come from files of the repository. Those that could make matching slow are left out.
 */
export function workspaceFolders(
  tree: SourceTree,
  globs: readonly string[],
  manifest: string,
): readonly string[] {
  const simple = globs
    .slice(0, MAX_GLOBS)
    .map((glob) => glob.replace(/^(!?)(?:\.\/)?/, '$1').replace(/\/{1,9}$/, ''))
    .filter((glob) => /^!?[\w@./*{}, -]{1,200}$/.test(glob) && glob.split('*').length <= 6);
  const include = simple.filter((glob) => !glob.startsWith('!'));
  if (include.length === 0) return [];
  const ignore = simple.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const matches = picomatch(include, { ignore });
  return tree
    .allFolders()
    .filter((folder) => tree.isOwn(folder) && matches(folder))
    .filter((folder) => tree.files(folder).includes(within(folder, manifest)))
    .slice(0, MAX_FOLDERS);
}

/** Folders below the root with source and a file of this name. */
function foldersWith(tree: SourceTree, manifest: string): readonly string[] {
  return tree
    .allFolders()
    .filter((folder) => tree.files(folder).includes(`${folder}/${manifest}`))
    .filter((folder) => tree.isOwn(folder) && tree.hasSource(folder))
    .slice(0, MAX_PROJECTS);
}

/** Crates of a Cargo workspace, and of a repository that is one crate. */
export function crates(tree: SourceTree, readFile: ReadFile): readonly Package[] {
  if (!tree.files('').includes('Cargo.toml')) return [];
  const { members, exclude } = asObject(tomlManifest(readFile, 'Cargo.toml').workspace);
  const globs = [...asTexts(members), ...asTexts(exclude).map((glob) => `!${glob}`)];
  return workspaceFolders(tree, globs, 'Cargo.toml').map((folder) =>
    crate(folder, tomlManifest(readFile, within(folder, 'Cargo.toml'))),
  );
}

const DEPENDENCIES = ['dependencies', 'dev-dependencies', 'build-dependencies'] as const;

function crate(folder: string, manifest: JsonObject): Package {
  const name = asText(asObject(manifest.package).name) || baseName(folder);
  const needs = DEPENDENCIES.flatMap((table) => Object.keys(asObject(manifest[table])));
  return {
    folder,
    names: [name, baseName(folder), folder],
    files: [everythingIn(folder)],
    smoke: isCrateName(name) ? [smokeTest(`cargo test -p ${name}`)] : [],
    ids: [`cargo:${name}`],
    needs: needs.map((it) => `cargo:${it}`),
    because: `member \`${folder}\` of the Cargo workspace`,
  };
}

const isCrateName = (name: string): boolean => /^[A-Za-z][\w-]*$/.test(name);

/** Go modules below the root; the packages of a module at the root are found as folders. */
export function goModules(tree: SourceTree, readFile: ReadFile): readonly Package[] {
  return foldersWith(tree, 'go.mod').map((folder) =>
    goModule(folder, readManifest(readFile, `${folder}/go.mod`)),
  );
}

function goModule(folder: string, manifest: string): Package {
  const name = moduleName(manifest);
  const needs = Array.from(
    manifest.matchAll(/^[ \t]*(?:require[ \t]+)?([\w.~-]+\.[\w.~/-]+)[ \t]+v[0-9]/gm),
    ([, module]) => `go:${module}`,
  );
  return {
    folder,
    names: [baseName(folder), folder, baseName(parent(folder))],
    files: [everythingIn(folder)],
    smoke: [smokeTest('go test ./...', folder)],
    ids: [`go:${name}`],
    needs,
    because: `Go module in \`${folder}\``,
  };
}

export const moduleName = (manifest: string): string =>
  /^module[ \t]+"?([^\s"]+)/m.exec(manifest)?.[1] ?? '';

/** Python projects below the root. */
export function pythonProjects(tree: SourceTree, readFile: ReadFile): readonly Package[] {
  return foldersWith(tree, 'pyproject.toml').map((folder) => {
    const project = asObject(tomlManifest(readFile, `${folder}/pyproject.toml`).project);
    const name = asText(project.name) || baseName(folder);
    return {
      folder,
      names: [name, baseName(folder), folder],
      files: [everythingIn(folder)],
      smoke: usesPytest(tree, readFile, folder) ? [smokeTest('python -m pytest', folder)] : [],
      ids: [`python:${canonical(name)}`],
      needs: requirements(project).map((it) => `python:${canonical(it)}`),
      because: `Python project in \`${folder}\``,
    };
  });
}

/** Different spellings can name the same distribution. */
const canonical = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-');

/** Names of the distributions in lists of requirements such as `acme-a[fast]>=1`. */
function requirements(project: JsonObject): readonly string[] {
  const extras = Object.values(asObject(project['optional-dependencies']));
  return [project.dependencies, ...extras]
    .flatMap(asTexts)
    .flatMap((requirement) => /^[A-Za-z0-9][\w.-]*/.exec(requirement.trim())?.[0] ?? []);
}

const EVIDENCE = [
  'pyproject.toml',
  'setup.cfg',
  'tox.ini',
  'requirements-dev.txt',
  'requirements.txt',
  'noxfile.py',
];

export function usesPytest(tree: SourceTree, readFile: ReadFile, folder: string): boolean {
  const present = new Set(tree.files(folder).map(baseName));
  if (present.has('pytest.ini') || present.has('conftest.py')) return true;
  if (
    tree.has(within(folder, 'tests')) &&
    tree.files(within(folder, 'tests')).some((path) => path.endsWith('/conftest.py'))
  ) {
    return true;
  }
  return EVIDENCE.some(
    (name) => present.has(name) && /\bpytest\b/.test(readManifest(readFile, within(folder, name))),
  );
}

export function pythonName(readFile: ReadFile): string {
  const { project, tool } = tomlManifest(readFile, 'pyproject.toml');
  return asText(asObject(project).name) || asText(asObject(asObject(tool).poetry).name);
}
