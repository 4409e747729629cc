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
import { baseName, everythingIn, parent, type SourceTree, within } from './source-tree.ts';

/** One part for each package of the repository. */
export function packageParts(tree: SourceTree, readFile: ReadFile): readonly Package[] {
  const javaScript = javaScriptRoot(tree, readFile);
  const candidates = [
    ...(javaScript === undefined ? [] : workspaces(tree, readFile, javaScript)),
    ...javaScriptProjects(tree, readFile),
    ...crates(tree, readFile),
    ...goModules(tree, readFile),
    ...pythonProjects(tree, readFile),
  ];
  const byFolder = new Map<string, Package>();
  for (const candidate of candidates) {
    const present = byFolder.get(candidate.folder);
    byFolder.set(candidate.folder, present === undefined ? candidate : merged(present, candidate));
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
    .map((glob) => glob.replace(/^(!?)(?:\.\/)?/, '$1').replace(/\/{1,9}$/, ''))
    .filter((glob) => /^!?[\w@./*{}, -]{1,200}$/.test(glob) && glob.split('*').length <= 6);
  const include = simple.filter((glob) => !glob.startsWith('!'));
  if (include.length === 0) return [];
  const ignore = simple.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const matches = picomatch(include, { ignore });
  return tree
    .allFolders()
    .filter((folder) => tree.isOwn(folder) && matches(folder))
    .filter((folder) => tree.files(folder).includes(within(folder, manifest)));
}

/** Folders below the root with source and a file of this name. */
function foldersWith(tree: SourceTree, manifest: string): readonly string[] {
  return tree
    .allFolders()
    .filter((folder) => tree.files(folder).includes(`${folder}/${manifest}`))
    .filter((folder) => tree.isOwn(folder) && tree.hasSource(folder));
}

/** Crates of a Cargo workspace, and of a repository that is one crate. */
function crates(tree: SourceTree, readFile: ReadFile): readonly Package[] {
  const root = asObject(tomlManifest(readFile, 'Cargo.toml').workspace);
  const globs = [...asTexts(root.members), ...asTexts(root.exclude).map((glob) => `!${glob}`)];
  const members = workspaceFolders(tree, globs, 'Cargo.toml');
  const others = foldersWith(tree, 'Cargo.toml').filter(
    (it) =>
      ![...members, ...foldersWith(tree, 'Cargo.toml')].some((outer) => it.startsWith(`${outer}/`)),
  );
  const shared = asObject(root.dependencies);
  return [...new Set([...members, ...others])].map((folder) =>
    crate(
      folder,
      tomlManifest(readFile, within(folder, 'Cargo.toml')),
      shared,
      members.includes(folder),
    ),
  );
}

const DEPENDENCIES = ['dependencies', 'dev-dependencies', 'build-dependencies'] as const;

/** @param shared the dependencies that the workspace declares for its members. */
function crate(
  folder: string,
  manifest: JsonObject,
  shared: JsonObject,
  isMember: boolean,
): Package {
  const name = asText(asObject(manifest.package).name) || baseName(folder);
  const tables = [manifest, ...Object.values(asObject(manifest.target)).map(asObject)];
  const wanted = tables.flatMap((it) =>
    DEPENDENCIES.flatMap((key) => Object.entries(asObject(it[key]))),
  );
  const needs = wanted.map(([alias, value]) => {
    const { package: own, workspace } = asObject(value);
    const renamed = workspace === true ? asObject(shared[alias]).package : own;
    return asText(renamed) || alias;
  });
  const narrow = isCrateName(name) ? [smokeTest(`cargo test -p ${name}`)] : [];
  return {
    folder,
    names: [name, baseName(folder), folder],
    files: [everythingIn(folder)],
    smoke: isMember ? narrow : [smokeTest('cargo test', folder)],
    ids: [`cargo:${name}`],
    needs: needs.map((it) => `cargo:${it}`),
    workspace: isMember ? 'cargo' : undefined,
    because: isMember ? `member \`${folder}\` of the Cargo workspace` : `crate in \`${folder}\``,
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
    const pytest = pytestCommand(tree, readFile, folder);
    return {
      folder,
      names: [name, baseName(folder), folder],
      files: [everythingIn(folder)],
      smoke: pytest === undefined ? [] : [smokeTest(pytest, folder)],
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

/** By the lock file of who installs the project. */
const PYTEST: readonly (readonly [lock: string, command: string])[] = [
  ['uv.lock', 'uv run pytest'],
  ['poetry.lock', 'poetry run pytest'],
  ['pdm.lock', 'pdm run pytest'],
  ['Pipfile.lock', 'pipenv run pytest'],
];

/** The command of pytest at the root or in a folder; `undefined` if it is not used there. */
export function pytestCommand(
  tree: SourceTree,
  readFile: ReadFile,
  folder: string,
): string | undefined {
  if (!usesPytest(tree, readFile, folder)) return undefined;
  const lock = (at: string) => PYTEST.find(([file]) => tree.files(at).includes(within(at, file)));
  return (lock(folder) ?? lock(''))?.[1] ?? 'python3 -m pytest';
}

function pythonName(readFile: ReadFile): string {
  const { project, tool } = tomlManifest(readFile, 'pyproject.toml');
  return asText(asObject(project).name) || asText(asObject(asObject(tool).poetry).name);
}

type PackageManager = 'npm' | 'pnpm' | 'yarn' | 'bun';

export interface JavaScriptRoot {
  readonly manifest: JsonObject;
  readonly manager: PackageManager;
  /** Starts a program of an installed package. */
  readonly exec: string;
}

export function javaScriptRoot(tree: SourceTree, readFile: ReadFile): JavaScriptRoot | undefined {
  if (!tree.files('').includes('package.json')) return undefined;
  const manifest = jsonManifest(readFile, 'package.json');
  const manager = packageManager(manifest, tree.files(''));
  return { manifest, manager, exec: EXEC[manager] };
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
      smoke: workspaceTest(manager, own, name, folder),
      ids: [`javascript:${name}`],
      needs: dependencyNames(own).map((it) => `javascript:${it}`),
      workspace: 'javascript',
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

const TEST_SCRIPTS = ['test', 'tests', 'test:unit', 'unit', 'test:all'];

/** Not counting the placeholder that `npm init` writes. */
export function testScript(manifest: JsonObject) {
  return TEST_SCRIPTS.map((name) => ({ name, text: asText(scripts(manifest)[name]) })).find(
    ({ text }) => text !== '' && !text.includes('no test specified'),
  );
}

/** Packages that are no workspace of the root. */
function javaScriptProjects(tree: SourceTree, readFile: ReadFile): readonly Package[] {
  const isWorkspaces = tree
    .files('')
    .some((it) => /^(?:pnpm-workspace\.yaml|lerna\.json)$/.test(it));
  if (isWorkspaces || jsonManifest(readFile, 'package.json').workspaces !== undefined) return [];
  return foldersWith(tree, 'package.json').flatMap((folder) => {
    const manifest = jsonManifest(readFile, within(folder, 'package.json'));
    const script = testScript(manifest);
    if (script === undefined) return [];
    const manager = packageManager(manifest, tree.files(folder).map(baseName));
    return {
      folder,
      names: [asText(manifest.name).replace(/^@[^/]*\//, ''), baseName(folder), folder],
      files: [everythingIn(folder)],
      smoke: [smokeTest(`${manager} run ${script.name}`, folder)],
      because: `package in \`${folder}\``,
    };
  });
}

function workspaceTest(
  manager: PackageManager,
  manifest: JsonObject,
  name: string,
  folder: string,
): readonly SmokeTest[] {
  const script = testScript(manifest);
  if (script === undefined) return [];
  const [, bare] = /^(?:@[\w.-]+\/)?(\w[\w.-]*)$/.exec(name) ?? [];
  // By another name the script would not be found by reading, and so not count as content.
  if (bare !== baseName(folder) || script.name !== 'test') {
    const run = script.name === 'test' && manager !== 'bun' ? 'test' : `run ${script.name}`;
    return [smokeTest(`${manager} ${run}`, folder)];
  }
  switch (manager) {
    case 'npm':
      return [smokeTest(`npm test --workspace ${name}`)];
    case 'pnpm':
      return [smokeTest(`pnpm --filter ${name} test`)];
    case 'yarn':
      return [smokeTest(`yarn workspace ${name} test`)];
    case 'bun':
      return [smokeTest('bun run test', folder)];
  }
}

const EXEC: Readonly<Record<PackageManager, string>> = {
  // Nothing may be downloaded: another version than the project's would prove nothing.
  npm: 'npx --no-install',
  pnpm: 'pnpm exec',
  yarn: 'yarn',
  bun: 'bun run',
};

const javaScriptName = ({ manifest }: JavaScriptRoot): string =>
  asText(manifest.name).replace(/^@[^/]*\//, '');
