/** Packages of npm, pnpm, Yarn and Bun, of Cargo, Go and Python, and how their tests are run. */
import picomatch from 'picomatch';
import type { SmokeTest } from '../../base/config/feature.ts';
import type { JsonObject } from '../../base/text/json.ts';
import { PYTHON_TEST } from '../test-runners.ts';
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
import { baseName, isOwn, type SourceTree, within } from './source-tree.ts';

export function packageParts(tree: SourceTree, readFile: ReadFile): readonly Package[] {
  const candidates = [
    ...javaScriptPackages(tree, readFile),
    ...crates(tree, readFile),
    ...goModules(tree, readFile),
    ...pythonProjects(tree, readFile),
  ];
  const byFolder = new Map<string, Package>();
  for (const candidate of candidates) {
    const present = byFolder.get(candidate.folder);
    byFolder.set(candidate.folder, present === undefined ? candidate : merged(present, candidate));
  }
  const made = readManifest(readFile, 'Makefile').split('\n');
  return [...byFolder.values()]
    .filter(({ folder }) => tree.hasSource(folder))
    .map((it) => ({ ...it, smoke: it.smoke.map((test) => asMade(test, made)) }));
}

/** Adds the options that a makefile gives the same command, so that one run can serve both. */
function asMade(test: SmokeTest, made: readonly string[]): SmokeTest {
  const start = `\tcd ${test.cwd} && `;
  const steps = made.flatMap((it) => (it.startsWith(start) ? it.slice(start.length) : []));
  const isIts = (step: string) =>
    step.startsWith(`${test.command} -`) && /^[\w ./:=-]+$/.test(step);
  return { ...test, command: steps.find(isIts) ?? test.command };
}

/** Joins two packages of different ecosystems in one folder. */
const merged = (one: Package, other: Package): Package => ({
  ...one,
  smoke: [...one.smoke, ...other.smoke],
  ids: [...(one.ids ?? []), ...(other.ids ?? [])],
  needs: [...(one.needs ?? []), ...(other.needs ?? [])],
});

/** Names of the whole project, from its manifests. */
export function projectNames(
  javaScript: JavaScriptRoot | undefined,
  readFile: ReadFile,
): readonly string[] {
  const go = moduleName(readManifest(readFile, 'go.mod'));
  return [
    asText(javaScript?.manifest.name).replace(/^@[^/]*\//, ''),
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
    .filter((folder) => isOwn(folder) && matches(folder))
    .filter((folder) => tree.files(folder).includes(within(folder, manifest)));
}

/** Folders below the root with source and a file of this name. */
function foldersWith(tree: SourceTree, manifest: string): readonly string[] {
  return tree
    .allFolders()
    .filter((folder) => tree.files(folder).includes(`${folder}/${manifest}`))
    .filter((folder) => isOwn(folder) && tree.hasSource(folder));
}

/** A package that is its whole folder. */
const packageIn = (folder: string, name: string, more: Omit<Package, 'folder' | 'names'>) => ({
  folder,
  names: [name, baseName(folder), folder],
  ...more,
});

/** Members of the Cargo workspace, and crates elsewhere; crates below one of these are its own members. */
function crates(tree: SourceTree, readFile: ReadFile): readonly Package[] {
  const root = asObject(tomlManifest(readFile, 'Cargo.toml').workspace);
  const globs = [...asTexts(root.members), ...asTexts(root.exclude).map((glob) => `!${glob}`)];
  const members = workspaceFolders(tree, globs, 'Cargo.toml');
  const all = foldersWith(tree, 'Cargo.toml');
  const isOuter = (it: string) => !all.some((outer) => it.startsWith(`${outer}/`));
  const others = all.filter((it) => !members.includes(it) && isOuter(it));
  return [
    ...members.map((it) => crate(it, tree, readFile, asObject(root.dependencies))),
    ...others.map((it) => crate(it, tree, readFile)),
  ];
}

/** Matches tests in the code, and examples in its comments. */
const RUST_TEST = /#\[(?:\w+::)*(?:test|rstest|cfg\(test)\b|^[ \t]*\/\/[/!].*```/m;

const DEPENDENCIES = ['dependencies', 'dev-dependencies', 'build-dependencies'] as const;

/** @param shared for a member, the dependencies that the workspace declares. */
function crate(folder: string, tree: SourceTree, readFile: ReadFile, shared?: JsonObject): Package {
  const manifest = tomlManifest(readFile, within(folder, 'Cargo.toml'));
  const name = asText(asObject(manifest.package).name) || baseName(folder);
  const tables = [manifest, ...Object.values(asObject(manifest.target)).map(asObject)];
  const wanted = tables.flatMap((it) =>
    DEPENDENCIES.flatMap((key) => Object.entries(asObject(it[key]))),
  );
  // A dependency can have another name here than its crate has.
  const needs = wanted.map(([alias, value]) => {
    const { package: own, workspace } = asObject(value);
    const renamed = workspace === true ? asObject(shared?.[alias]).package : own;
    return `cargo:${asText(renamed) || alias}`;
  });
  const own = { ids: [`cargo:${name}`], needs };
  const code = tree.filesIn(folder).filter((it) => it.endsWith('.rs'));
  const isTested = code.some((it) => RUST_TEST.test(readManifest(readFile, it)));
  if (shared === undefined) {
    const smoke = isTested ? [smokeTest('cargo test', folder)] : [];
    return packageIn(folder, name, { ...own, smoke, because: `crate in \`${folder}\`` });
  }
  const because = `member \`${folder}\` of the Cargo workspace`;
  const isNamed = isTested && /^[A-Za-z][\w-]*$/.test(name);
  const smoke = isNamed ? [smokeTest(`cargo test -p ${name}`)] : [];
  return packageIn(folder, name, { ...own, smoke, workspace: 'cargo', because });
}

/** Go modules below the root; the packages of a module at the root are found as folders. */
function goModules(tree: SourceTree, readFile: ReadFile): readonly Package[] {
  return foldersWith(tree, 'go.mod').map((folder) => {
    const manifest = readManifest(readFile, `${folder}/go.mod`);
    const required = manifest.matchAll(
      /^[ \t]*(?:require[ \t]+)?([\w.~-]+\.[\w.~/-]+)[ \t]+v[0-9]/gm,
    );
    const isTested = tree.filesIn(folder).some((it) => it.endsWith('_test.go'));
    return packageIn(folder, '', {
      smoke: isTested ? [smokeTest('go test ./...', folder)] : [],
      ids: [`go:${moduleName(manifest)}`],
      needs: Array.from(required, ([, module]) => `go:${module}`),
      because: `Go module in \`${folder}\``,
    });
  });
}

export const moduleName = (manifest: string): string =>
  /^module[ \t]+"?([^\s"]+)/m.exec(manifest)?.[1] ?? '';

function pythonProjects(tree: SourceTree, readFile: ReadFile): readonly Package[] {
  return foldersWith(tree, 'pyproject.toml').map((folder) => {
    const project = asObject(tomlManifest(readFile, `${folder}/pyproject.toml`).project);
    const name = asText(project.name) || baseName(folder);
    const isTested = tree.filesIn(folder).some((it) => PYTHON_TEST.test(it));
    const pytest = isTested ? pytestCommand(tree, readFile, folder) : undefined;
    return packageIn(folder, name, {
      smoke: pytest === undefined ? [] : [smokeTest(pytest, folder)],
      ids: [`python:${canonical(name)}`],
      needs: requirements(project).map((it) => `python:${canonical(it)}`),
      because: `Python project in \`${folder}\``,
    });
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

const MANIFESTS =
  'pyproject.toml setup.cfg tox.ini requirements-dev.txt requirements.txt noxfile.py'.split(' ');

/** The number of tests that are read to learn how all are written. */
const MOST_TESTS_READ = 20;

/** True if its own files, a manifest or the tests show that it uses pytest. */
export function usesPytest(tree: SourceTree, readFile: ReadFile, folder: string): boolean {
  const own = new Set([...tree.files(folder), ...tree.files(within(folder, 'tests'))]);
  const has = (name: string) => own.has(within(folder, name));
  if (['pytest.ini', 'conftest.py', 'tests/conftest.py'].some(has)) return true;
  const says = (path: string, word: RegExp) => word.test(readManifest(readFile, path));
  if (MANIFESTS.some((it) => has(it) && says(within(folder, it), /\bpytest\b/))) return true;
  const tests = tree.filesIn(folder).filter((it) => PYTHON_TEST.test(it));
  return tests
    .slice(0, MOST_TESTS_READ)
    .some((it) => says(it, /^(?:import|from)[ \t]+pytest\b|^(?:async )?def test_/m));
}

/** The command by the lock file of the tool that installs the project. */
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

/** The workspaces that the repository declares; if it declares none, its packages that have tests. */
function javaScriptPackages(tree: SourceTree, readFile: ReadFile): readonly Package[] {
  const { workspaces } = jsonManifest(readFile, 'package.json');
  const source = Array.isArray(workspaces) ? workspaces : asObject(workspaces).packages;
  const lerna = asTexts(jsonManifest(readFile, 'lerna.json').packages);
  const pnpm = asTexts(yamlManifest(readFile, 'pnpm-workspace.yaml').packages);
  const globs = [...asTexts(source), ...pnpm, ...lerna];
  const isDeclared = globs.length > 0;
  const folders = isDeclared
    ? workspaceFolders(tree, globs, 'package.json')
    : foldersWith(tree, 'package.json');
  const root = javaScriptRoot(tree, readFile);
  return folders.flatMap((folder) => {
    const manifest = jsonManifest(readFile, within(folder, 'package.json'));
    const name = asText(manifest.name);
    const manager = root?.manager ?? packageManager(manifest, tree.files(folder).map(baseName));
    const smoke = packageTest(manager, manifest, folder, isDeclared);
    const because = `${isDeclared ? 'workspace' : 'package'} \`${folder}\`${isDeclared ? ' of the root package.json' : ''}`;
    const own = {
      script: testScript(manifest)?.text ?? '',
      ids: [`javascript:${name}`],
      needs: NPM_DEPENDENCIES.flatMap((key) => Object.keys(asObject(manifest[key]))).map(
        (it) => `javascript:${it}`,
      ),
      workspace: isDeclared ? ('javascript' as const) : undefined,
    };
    if (!isDeclared && smoke.length === 0) return [];
    return packageIn(folder, name.replace(/^@[^/]*\//, ''), { ...own, smoke, because });
  });
}

const NPM_DEPENDENCIES = [
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'optionalDependencies',
] as const;

const TEST_SCRIPTS = ['test', 'tests', 'test:unit', 'unit', 'test:all'];

/** The test script, without the placeholder that `npm init` writes. */
export function testScript(manifest: JsonObject) {
  return TEST_SCRIPTS.map((name) => ({
    name,
    text: asText(asObject(manifest.scripts)[name]),
  })).find(({ text }) => text !== '' && !text.includes('no test specified'));
}

const BY_NAME: Readonly<Record<PackageManager, ((name: string) => string) | undefined>> = {
  npm: (name) => `npm test --workspace ${name}`,
  pnpm: (name) => `pnpm --filter ${name} test`,
  yarn: (name) => `yarn workspace ${name} test`,
  bun: undefined,
};

function packageTest(
  manager: PackageManager,
  manifest: JsonObject,
  folder: string,
  isWorkspace: boolean,
): readonly SmokeTest[] {
  const script = testScript(manifest);
  if (script === undefined) return [];
  const name = asText(manifest.name);
  const [, bare] = /^(?:@[\w.-]+\/)?(\w[\w.-]*)$/.exec(name) ?? [];
  // Under another name the script would not be found by reading, and would not count as content.
  const isNamed = isWorkspace && bare === baseName(folder) && script.name === 'test';
  const named = isNamed ? BY_NAME[manager]?.(name) : undefined;
  return [
    named === undefined ? smokeTest(runScript(manager, script.name), folder) : smokeTest(named),
  ];
}

export const runScript = (manager: PackageManager, name: string): string =>
  name === 'test' && manager !== 'bun' ? `${manager} test` : `${manager} run ${name}`;
