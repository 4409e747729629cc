/** How the tests of a tree are run: all of them, and only those of some paths. */
import type { SmokeTest } from '../../base/config/feature.ts';
import { MARKED, PYTHON_TEST, runnerOf, type TestRunner, withoutPaths } from '../test-runners.ts';
import { type Package, type ReadFile, readManifest, smokeTest, tomlManifest } from './manifest.ts';
import { type JavaScriptRoot, pytestCommand, runScript, testScript } from './packages.ts';
import { isPlain, parent, type SourceTree } from './source-tree.ts';

export interface Runner {
  readonly whole: string;
  /** Other packages whose tests it runs as well. */
  readonly reaches?: 'javascript' | 'cargo' | 'everything';
  /** The program at the end of its script. */
  readonly program?: ReturnType<typeof lastProgram>;
  isTest(path: string): boolean;
  /**
   * The same command with the paths of test files and folders, so that one run can serve several
   * features; absent if it always runs everything.
   */
  readonly narrow?: ((paths: readonly string[]) => string) | undefined;
}

/** A file is run by the first runner that takes it for a test. */
export function runnersOf(
  tree: SourceTree,
  readFile: ReadFile,
  javaScript: JavaScriptRoot | undefined,
  packages: readonly Package[],
): readonly Runner[] {
  const hasWorkspaces = packages.some(
    ({ workspace, smoke }) => workspace === 'javascript' && smoke.length > 0,
  );
  const has = (name: string) => tree.files('').includes(name);
  const byFile = BY_FILE.filter(([file]) => tree.files('').some((it) => file.test(it)));
  const found = [
    ...playwright(tree, readFile, javaScript),
    ...javaScriptRunner(tree, javaScript, hasWorkspaces),
    ...python(tree, readFile, has),
    ...(has('go.mod') ? [goRunner] : []),
    ...byFile.flatMap(([, whole, test]) => (test ? withPaths(whole, test) : [])),
    ...cargo(tree, readFile),
    ...byFile.flatMap(([, whole, test]) => (test ? [] : wholeOnly(whole))).slice(0, 1),
  ];
  return found.length > 0 ? found : taskRunner(readFile);
}

const wholeOnly = (whole: string): Runner => ({ whole, isTest: () => false });

const withPaths = (whole: string, test: RegExp): Runner => ({
  whole,
  isTest: (path) => test.test(path),
  narrow: (paths) => `${whole} ${paths.map(shellWord).join(' ')}`,
});

const shellWord = (path: string): string => (isPlain(path) ? path : `'${path}'`);

/** Commands by a file at the root. Rows with a pattern of tests take paths; of the others, the first that fits. */
const BY_FILE: readonly (readonly [file: RegExp, command: string, test?: RegExp])[] = [
  [/^\.rspec$/, 'bundle exec rspec', /_spec\.rb$/],
  [/^phpunit\.xml(?:\.dist)?$/, 'vendor/bin/phpunit', /Test\.php$/],
  [/^deno\.jsonc?$/, 'deno test', /[._](?:test|spec)\.[cm]?[jt]sx?$/],
  [/^gradlew$/, './gradlew test'],
  [/^build\.gradle(?:\.kts)?$/, 'gradle test'],
  [/^mvnw$/, './mvnw -q test'],
  [/^pom\.xml$/, 'mvn -q test'],
  [/^mix\.exs$/, 'mix test'],
  [/^Package\.swift$/, 'swift test'],
  [/^pubspec\.yaml$/, 'dart test'],
  [/^stack\.yaml$/, 'stack test'],
];

/** The task with this name runs the tests, if no language says how they are run. */
function taskRunner(readFile: ReadFile): readonly Runner[] {
  const task = TASKS.find(([file, name]) =>
    new RegExp(`^${name}[ \\t]*:(?!=)`, 'm').test(readManifest(readFile, file)),
  );
  if (task === undefined) return [];
  const [, name, program] = task;
  return [{ ...wholeOnly(`${program} ${name}`), reaches: 'everything' }];
}

const TASKS: readonly (readonly [file: string, name: string, program: string])[] = [
  ...['test', 'check'].flatMap((name) =>
    ['GNUmakefile', 'makefile', 'Makefile'].map((file) => [file, name, 'make'] as const),
  ),
  ...['justfile', 'Justfile', '.justfile'].map((file) => [file, 'test', 'just'] as const),
];

/** Without a crate at the root, plain `cargo test` means all members. */
function cargo(tree: SourceTree, readFile: ReadFile): readonly Runner[] {
  if (!tree.files('').includes('Cargo.toml')) return [];
  const { workspace, package: own } = tomlManifest(readFile, 'Cargo.toml');
  const isMixed = workspace !== undefined && own !== undefined;
  return [{ ...wholeOnly(isMixed ? 'cargo test --workspace' : 'cargo test'), reaches: 'cargo' }];
}

const goRunner: Runner = {
  whole: 'go test ./...',
  isTest: (path) => path.endsWith('_test.go'),
  // Go takes packages, not files.
  narrow: (paths) => {
    const folders = paths.map((it) => (it.endsWith('.go') ? `./${parent(it)}` : `./${it}/...`));
    return `go test ${[...new Set(folders)].join(' ')}`;
  },
};

const PYTHON_TASKS: readonly (readonly [file: string, command: string])[] = [
  ['manage.py', 'python3 manage.py test'],
  ['tox.ini', 'tox'],
  ['noxfile.py', 'nox'],
];

function python(
  tree: SourceTree,
  readFile: ReadFile,
  has: (name: string) => boolean,
): readonly Runner[] {
  const pytest = pytestCommand(tree, readFile, '');
  if (pytest !== undefined) {
    // A part of the tests covers less than the settings require of all of them.
    const settings = ['pyproject.toml', 'setup.cfg', 'tox.ini', 'pytest.ini', '.coveragerc'];
    const isCounted = settings.some((it) => /fail[-_]under/.test(readManifest(readFile, it)));
    const runner = withPaths(pytest, PYTHON_TEST);
    return [isCounted ? { ...runner, narrow: undefined } : runner];
  }
  const task = PYTHON_TASKS.find(([file]) => has(file));
  if (task !== undefined) return [wholeOnly(task[1])];
  const tests = tree.files('tests').filter((it) => PYTHON_TEST.test(it));
  return tests.some((it) => /^import unittest/m.test(readManifest(readFile, it)))
    ? [wholeOnly('python3 -m unittest discover -s tests')]
    : [];
}

function playwright(
  tree: SourceTree,
  readFile: ReadFile,
  javaScript: JavaScriptRoot | undefined,
): readonly Runner[] {
  const config = tree.files('').find((it) => /^playwright\.config\.[cm]?[jt]s$/.test(it));
  if (config === undefined || javaScript === undefined) return [];
  const set = /\btestDir\s*:\s*['"`](?:\.\/)?([\w./-]+?)\/?['"`]/.exec(
    readManifest(readFile, config),
  );
  const folder = set?.[1] ?? ['e2e', 'tests', 'test'].find((it) => tree.has(it)) ?? '';
  // Nothing may be downloaded: another version than the project's would prove nothing.
  const exec = javaScript.manager === 'npm' ? 'npx --no-install' : `${javaScript.manager} exec`;
  const whole = `${exec} playwright test`;
  const { narrow, isTest, ...runner } = withPaths(whole, /\.(?:spec|test)\.[cm]?[jt]sx?$/);
  return [
    {
      ...runner,
      isTest: (path) => path.startsWith(`${folder}/`) && isTest(path),
      // The whole folder is everything that it runs.
      narrow: (paths) => (paths.join() === folder ? whole : (narrow?.(paths) ?? whole)),
    },
  ];
}

/** The package's own script; with paths only if it ends with a runner without paths. */
function javaScriptRunner(
  tree: SourceTree,
  javaScript: JavaScriptRoot | undefined,
  hasWorkspaces: boolean,
): readonly Runner[] {
  if (javaScript === undefined) return [];
  const { manager, manifest } = javaScript;
  const script = testScript(manifest);
  const reaches = 'javascript';
  if (script === undefined) {
    const all = hasWorkspaces ? ALL_WORKSPACES[manager] : undefined;
    return all === undefined ? [] : [{ ...wholeOnly(all), reaches }];
  }
  const whole = runScript(manager, script.name);
  const program = lastProgram(script.text);
  const isTest = (path: string) => program?.tests?.test(path) ?? MARKED.test(path);
  const pathsOf = (paths: readonly string[]) =>
    program?.name === 'node'
      ? nodePatterns(tree, paths, isTest)
      : paths.map(program?.name === 'jest' ? escaped : shellWord);
  const start = manager === 'npm' ? `${whole} --` : whole;
  const narrow = (paths: readonly string[]) => `${start} ${pathsOf(paths).join(' ')}`;
  return [{ whole, reaches, program, isTest, narrow: program === undefined ? undefined : narrow }];
}

/** The runner at the end of a script, if it takes paths and has none yet. */
export function lastProgram(script: string): TestRunner | undefined {
  // A part of the tests covers less than the script requires of all of them.
  if (/\b(?:c8|nyc)\b|coverage/.test(script)) return undefined;
  const [last = ''] = /[^&;|]*$/.exec(script) ?? [];
  const words = last
    .trim()
    .replace(/^(?:(?:npx|cross-env|[A-Z_]+=\S*) +)+/, '')
    .split(/ +/);
  const { runner, count = 0 } = runnerOf(words) ?? {};
  const isNamed = /^(?:vitest|jest|ava|node)$/.test(runner?.name ?? '');
  return isNamed && withoutPaths(words, count).length === words.length ? runner : undefined;
}

/** The path as a regular expression, which Jest takes. */
const escaped = (path: string): string =>
  isPlain(path) ? path : `'${path.replaceAll(/[()[\]{}.*+?^$|]/g, '\\$&')}'`;

const ALL_WORKSPACES: Readonly<Record<string, string>> = {
  npm: 'npm test --workspaces --if-present',
  pnpm: 'pnpm -r test',
};

/** The patterns of test files, because Node takes files and patterns, not folders. */
function nodePatterns(
  tree: SourceTree,
  paths: readonly string[],
  isTest: (path: string) => boolean,
): readonly string[] {
  const endingsIn = (folders: readonly string[]) => {
    const tests = folders.flatMap((it) => tree.filesIn(it)).filter(isTest);
    return new Set(tests.map((it) => /(?:[._-](?:test|spec))?\.\w+$/.exec(it)?.[0] ?? ''));
  };
  const all = endingsIn(paths);
  const patterns = paths.flatMap((path) => {
    if (!tree.has(path)) return shellWord(path);
    const own = endingsIn([path]);
    return [...(own.size > 0 ? own : all)].map((it) => `'${path}/**/*${it}'`);
  });
  return [...new Set(patterns)];
}

/** Files and folders with tests that one runner runs. */
export interface Tests {
  readonly runner: Runner;
  readonly path: string;
}

/** A command for the tests of each runner, in the order of the runners. */
export function narrowTests(
  runners: readonly Runner[],
  tests: readonly Tests[],
): readonly SmokeTest[] {
  return runners.flatMap(({ narrow, whole }) => {
    const paths = fewer(tests.filter((it) => it.runner.whole === whole).map(({ path }) => path));
    return paths.length === 0 || narrow === undefined ? [] : smokeTest(narrow(paths));
  });
}

const MOST_PATHS = 12;

/** Replaces many files with folders: then more tests run than are needed. */
function fewer(paths: readonly string[]): readonly string[] {
  const sorted = [...new Set(paths)].sort();
  const outer = sorted.filter((it) => !sorted.some((other) => it.startsWith(`${other}/`)));
  if (outer.length <= MOST_PATHS) return outer;
  const folders = outer.map(parent);
  return folders.includes('') ? outer : fewer(folders);
}
