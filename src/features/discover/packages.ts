/** Packages of npm, pnpm, Yarn and Bun, of Cargo, Go and Python, and how their tests are run. */
import picomatch from 'picomatch';
import type { SmokeTest } from '../../base/config/feature.ts';
import type { JsonObject } from '../../base/text/json.ts';
import {
  asObject,
  asText,
  asTexts,
  jsonManifest,
  type Package,
  type ReadFile,
  readManifest,
  smokeTest,
  tomlManifest,
  yamlManifest,
} from './manifest.ts';
import { baseName, everythingIn, isPlain, parent, type SourceTree, within } from './source-tree.ts';

/** Limits on folders and globs; more would add little to a draft. */
const MAX_FOLDERS = 500;
const MAX_GLOBS = 200;
const MAX_PROJECTS = 200;

/** One part for each package of the repository. */
export function packageParts(tree: SourceTree, readFile: ReadFile): readonly Package[] {
  const javaScript = javaScriptRoot(tree, readFile);
  const candidates = [
    ...(javaScript === undefined ? [] : workspaces(tree, readFile, javaScript)),
    ...crates(tree, readFile),
    ...goModules(tree, readFile),
    ...pythonProjects(tree, readFile),
  ];
  const byFolder = new Map<string, Package>();
  for (const candidate of candidates) {
    const present = byFolder.get(candidate.folder);
    if (present === undefined) byFolder.set(candidate.folder, candidate);
    else byFolder.set(candidate.folder, merged(present, candidate));
  }
  return [...byFolder.values()].filter(({ folder }) => tree.hasSource(folder));
}

/** One folder that is a package of two ecosystems. */
const merged = (one: Package, other: Package): Package => ({
  ...one,
  smoke: [...one.smoke, ...other.smoke],
  ids: [...(one.ids ?? []), ...(other.ids ?? [])],
  needs: [...(one.needs ?? []), ...(other.needs ?? [])],
});

/** Names of the whole project, by its manifests. */
export function projectNames(
  javaScript: JavaScriptRoot | undefined,
  readFile: ReadFile,
): readonly string[] {
  const go = moduleName(readManifest(readFile, 'go.mod'));
  return [
    javaScript === undefined ? '' : javaScriptName(javaScript),
    asText(asObject(tomlManifest(readFile, 'Cargo.toml').package).name),
    pythonName(readFile),
    go.replace(/\/v[0-9]+$/, '').replace(/^.*\//, ''),
  ];
}

/**
 * The folders that a list of workspace globs names and that have a manifest; `!` excludes.
 *
 * The globs come from files of the repository. Those that could make matching slow are left out.
 */
function workspaceFolders(
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
function crates(tree: SourceTree, readFile: ReadFile): readonly Package[] {
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
function goModules(tree: SourceTree, readFile: ReadFile): readonly Package[] {
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

const moduleName = (manifest: string): string =>
  /^module[ \t]+"?([^\s"]+)/m.exec(manifest)?.[1] ?? '';

/** Python projects below the root. */
function pythonProjects(tree: SourceTree, readFile: ReadFile): readonly Package[] {
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

function pythonName(readFile: ReadFile): string {
  const { project, tool } = tomlManifest(readFile, 'pyproject.toml');
  return asText(asObject(project).name) || asText(asObject(asObject(tool).poetry).name);
}

type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

export interface JavaScriptRoot {
  readonly manifest: JsonObject;
  readonly manager: PackageManager;
}

export function javaScriptRoot(tree: SourceTree, readFile: ReadFile): JavaScriptRoot | undefined {
  if (!tree.files('').includes('package.json')) return undefined;
  const manifest = jsonManifest(readFile, 'package.json');
  return { manifest, manager: packageManager(manifest, tree.files('')) };
}

const LOCK_FILES: readonly (readonly [file: string, manager: PackageManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['pnpm-workspace.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

function packageManager(manifest: JsonObject, rootFiles: readonly string[]): PackageManager {
  const named = /^(npm|pnpm|yarn|bun)@/.exec(asText(manifest.packageManager))?.[1];
  if (named !== undefined) return named as PackageManager;
  return LOCK_FILES.find(([file]) => rootFiles.includes(file))?.[1] ?? 'npm';
}

/** One part for each workspace that the repository declares. */
function workspaces(
  tree: SourceTree,
  readFile: ReadFile,
  { manifest, manager }: JavaScriptRoot,
): readonly Package[] {
  const declared = manifest.workspaces;
  const source = Array.isArray(declared) ? declared : asObject(declared).packages;
  const lerna = asTexts(jsonManifest(readFile, 'lerna.json').packages);
  const pnpm = asTexts(yamlManifest(readFile, 'pnpm-workspace.yaml').packages);
  const globs = [...asTexts(source), ...pnpm, ...lerna];
  return workspaceFolders(tree, globs, 'package.json').map((folder) => {
    const own = jsonManifest(readFile, within(folder, 'package.json'));
    const name = asText(own.name);
    return {
      folder,
      names: [name.replace(/^@[^/]*\//, ''), baseName(folder), name, folder],
      files: [everythingIn(folder)],
      smoke: hasTestScript(own) ? [workspaceTest(manager, name, folder)] : [],
      ids: [`javascript:${name}`],
      needs: dependencyNames(own).map((it) => `javascript:${it}`),
      because: `workspace \`${folder}\` of the root package.json`,
    };
  });
}

const NPM_DEPENDENCIES = [
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'optionalDependencies',
] as const;

const dependencyNames = (manifest: JsonObject): readonly string[] =>
  NPM_DEPENDENCIES.flatMap((key) => Object.keys(asObject(manifest[key])));

const scripts = (manifest: JsonObject): JsonObject => asObject(manifest.scripts);

/** Not counting the placeholder that `npm init` writes. */
function hasTestScript(manifest: JsonObject): boolean {
  const script = asText(scripts(manifest).test);
  return script !== '' && !script.includes('no test specified');
}

function workspaceTest(manager: PackageManager, name: string, folder: string): SmokeTest {
  const [, bare] = /^(?:@[\w.-]+\/)?(\w[\w.-]*)$/.exec(name) ?? [];
  // By another name the script would not be found by reading, and so not count as content.
  if (bare === undefined || bare !== baseName(folder)) return smokeTest(`${manager} test`, folder);
  switch (manager) {
    case 'npm':
      return smokeTest(`npm test --workspace ${name}`);
    case 'pnpm':
      return smokeTest(`pnpm --filter ${name} test`);
    case 'yarn':
      return smokeTest(`yarn workspace ${name} test`);
    case 'bun':
      return smokeTest('bun run test', folder);
  }
}

const EXEC: Readonly<Record<PackageManager, string>> = {
  // Nothing may be downloaded: another version than the project's would prove nothing.
  npm: 'npx --no-install',
  pnpm: 'pnpm exec',
  yarn: 'yarn',
  bun: 'bun run',
};

/**
 * The command that tests one part of a package: its own script, the runner on its paths, or all tests.
 *
 * @param paths files and folders with its tests; without them all tests run.
 */
export function javaScriptTest(
  { manifest, manager }: JavaScriptRoot,
  name: string,
  paths: readonly string[],
): SmokeTest | undefined {
  const own = Object.keys(scripts(manifest)).find((script) => script === `test:${name}`);
  if (own !== undefined && isPlain(name)) return smokeTest(`${manager} run ${own}`);
  const runner = testRunner(manifest);
  if (runner !== undefined && paths.length > 0 && paths.every(isPlain)) {
    return smokeTest(`${EXEC[manager]} ${runner} ${paths.join(' ')}`);
  }
  return hasTestScript(manifest) ? smokeTest(`${manager} test`) : undefined;
}

function testRunner(manifest: JsonObject): string | undefined {
  const known = dependencyNames(manifest);
  const script = asText(scripts(manifest).test);
  if (known.includes('vitest') || /\bvitest\b/.test(script)) return 'vitest run';
  return known.includes('jest') || /\bjest\b/.test(script) ? 'jest' : undefined;
}

const javaScriptName = ({ manifest }: JavaScriptRoot): string =>
  asText(manifest.name).replace(/^@[^/]*\//, '');
