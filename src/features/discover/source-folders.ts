/**
 * Parts of a repository that is one package: the folders its source is divided into, with their
 * tests, which lie beside the source, in it, or mirrored under a folder of tests.
 */
import type { SmokeTest } from '../../base/config/feature.ts';
import { type Part, type ReadFile, readManifest, smokeTest } from './manifest.ts';
import { type JavaScriptRoot, javaScriptTest, usesPytest } from './packages.ts';
import {
  baseName,
  everythingIn,
  isPlain,
  isSource,
  isSpeakable,
  isTest,
  literal,
  parent,
  type SourceTree,
  within,
} from './source-tree.ts';

/** Folders that contain parts of a program and are none themselves. */
const CONTAINERS = new Set(
  `src source sources lib libs app apps packages crates services modules components features plugins
  cmd internal pkg cli tools`.split(/\s+/),
);
const MAX_DESCENT = 8;

/** Folders of tests, and folders in them that may mirror the source. */
const TEST_ROOTS = ['test', 'tests', '__tests__', 'spec', 'specs', 'e2e'];
const KINDS = ['', 'unit', 'integration', 'e2e'];
const MAX_FILES = 20;

/** The command that tests a part, by its name and the paths of its tests; `undefined` if none does. */
export type TestCommand = (
  name: string,
  folder: string,
  tests: readonly string[],
) => SmokeTest | undefined;

/** @param project names of the whole project, used instead of a name such as `src`. */
export function sourceFolders(
  tree: SourceTree,
  testCommand: TestCommand,
  project: readonly string[],
): readonly Part[] {
  const top = tree.sourceFolders('');
  const containers = top.filter((folder) => isContainer(tree, folder));
  const [only] = top;
  if (containers.length === 0) {
    return top.length === 1 && only !== undefined
      ? partsOf(tree, only, testCommand, project)
      : top.map((folder) => folderPart(tree, folder, testCommand));
  }
  return top.flatMap((folder) =>
    containers.includes(folder)
      ? partsOf(tree, folder, testCommand, project)
      : folderPart(tree, folder, testCommand),
  );
}

/** Has a container's name, or is a Python package with subfolders at the root. */
function isContainer(tree: SourceTree, folder: string): boolean {
  return (
    CONTAINERS.has(folder.toLowerCase()) ||
    (tree.files(folder).includes(`${folder}/__init__.py`) && tree.sourceFolders(folder).length > 1)
  );
}

/** Each folder of a container, and the files directly in it. */
function partsOf(
  tree: SourceTree,
  top: string,
  testCommand: TestCommand,
  project: readonly string[],
): readonly Part[] {
  const container = descended(tree, top);
  const children = tree.sourceFolders(container);
  if (children.length === 0) {
    const part = folderPart(tree, container, testCommand);
    const own = CONTAINERS.has(baseName(container)) ? project : [];
    return [{ ...part, names: [...own, ...part.names] }];
  }
  const parts = children.map((folder) => folderPart(tree, folder, testCommand));
  const loose = tree.files(container).filter((path) => isSource(path) && !isTest(path));
  return loose.length === 0 ? parts : [...parts, loosePart(tree, container, testCommand)];
}

/** Skips folders that contain only one other, as in src/main/java/com/acme. */
function descended(tree: SourceTree, top: string): string {
  let folder = top;
  for (let depth = 0; depth < MAX_DESCENT; depth += 1) {
    const [child, ...others] = tree.sourceFolders(folder);
    const loose = tree.files(folder).some(isSource);
    if (child === undefined || others.length > 0 || loose) return folder;
    folder = child;
  }
  return folder;
}

function folderPart(tree: SourceTree, folder: string, testCommand: TestCommand): Part {
  const name = baseName(folder);
  const { folders, files } = mirroredTests(tree, folder);
  const inside = hasOwnTests(tree, folder) ? [folder] : [];
  const tests = [...inside, ...folders, ...files];
  const smoke = testCommand(name, folder, tests);
  const mirrored = [...folders, ...files];
  return {
    names: [name, folder],
    files: [everythingIn(folder), ...folders.map(everythingIn), ...files.map(literal)],
    smoke: smoke === undefined ? [] : [smoke],
    because:
      mirrored.length === 0
        ? `source folder \`${folder}\`${inside.length === 0 ? '' : ' with tests beside'}`
        : `source folder \`${folder}\` with tests in \`${mirrored[0]}\``,
  };
}

function loosePart(tree: SourceTree, container: string, testCommand: TestCommand): Part {
  const tests = testsOfFiles(tree, container);
  const smoke = testCommand('core', container, tests);
  return {
    names: ['core', `${baseName(container)}-core`, container],
    files: [`${literal(container)}/*`, ...tests.map(literal)],
    smoke: smoke === undefined ? [] : [smoke],
    because: `source files directly in \`${container}\``,
  };
}

/**
 * Folders outside a source folder such as `src/checkout` that hold only its tests, and single test
 * files outside it that carry its name.
 */
function mirroredTests(tree: SourceTree, folder: string) {
  const name = baseName(folder);
  const roots = testRoots(tree, parent(folder));
  const named = roots.map((root) => within(root, name));
  const maven = folder.includes('/main/') ? [folder.replace('/main/', '/test/')] : [];
  const folders = [...named, ...maven].filter((it) => it !== folder && tree.has(it));
  const files = testsNamed(tree, roots, new Set([name]));
  return { folders, files };
}

/** Test files outside a folder that carry the name of a file directly in it. */
function testsOfFiles(tree: SourceTree, folder: string): readonly string[] {
  const sources = tree.files(folder).filter((path) => isSource(path) && !isTest(path));
  return testsNamed(tree, testRoots(tree, folder), new Set(sources.map(stem)));
}

function testsNamed(
  tree: SourceTree,
  roots: readonly string[],
  names: ReadonlySet<string>,
): readonly string[] {
  return roots
    .flatMap((root) => tree.files(root))
    .filter((path) => isSource(path) && isSpeakable(path) && names.has(testedName(path) ?? ''))
    .slice(0, MAX_FILES);
}

/** Folders under which the tests of what lies in `container` may mirror it. */
function testRoots(tree: SourceTree, container: string): readonly string[] {
  const steps = container.split('/');
  // src/shop/cart is mirrored as test/cart, test/shop/cart or test/src/shop/cart.
  const mirrors = steps.map((_, index) => steps.slice(index).join('/'));
  const roots = TEST_ROOTS.flatMap((root) => [
    ...KINDS.map((kind) => within(root, kind)),
    ...mirrors.map((mirror) => within(root, mirror)),
    within(container, root),
  ]);
  return [...new Set(roots.map((root) => root.replace(/\/$/, '')))].filter((root) =>
    tree.has(root),
  );
}

/** The name that a test file tests: `cart` for `cart.test.ts`, `test_cart.py`, `cart_spec.rb`. */
function testedName(path: string): string | undefined {
  const bare = stem(path).replace(/^test_|(?:[_-](?:test|spec)|Tests?|Spec)$/g, '');
  const marked = isTest(path) || TEST_ROOTS.includes(baseName(parent(path)));
  return marked ? bare : undefined;
}

const stem = (path: string): string => /^[^.]*/.exec(baseName(path))?.[0] ?? '';

/** True if tests lie in the folder itself or below, within a few levels. */
function hasOwnTests(tree: SourceTree, folder: string, depth = 4): boolean {
  if (tree.files(folder).some(isTest)) return true;
  if (depth === 0) return false;
  return tree.folders(folder).some((child) => hasOwnTests(tree, child, depth - 1));
}

/** Commands that test a whole repository, by a file at its root. */
const WHOLE: readonly (readonly [file: string, command: string])[] = [
  ['Cargo.toml', 'cargo test'],
  ['gradlew', './gradlew test'],
  ['mvnw', './mvnw -q test'],
  ['pom.xml', 'mvn -q test'],
  ['mix.exs', 'mix test'],
  ['Package.swift', 'swift test'],
];

/** Chooses the command that tests one part: the narrowest that the repository supports. */
export function testCommands(
  tree: SourceTree,
  readFile: ReadFile,
  javaScript: JavaScriptRoot | undefined,
): TestCommand {
  const root = tree.files('');
  const pytest = usesPytest(tree, readFile, '');
  const makeTest = /^test:(?!=)/m.test(readManifest(readFile, 'Makefile'));
  const whole = WHOLE.find(([file]) => root.includes(file))?.[1];
  const anything = whole ?? (makeTest ? 'make test' : undefined);

  return (name, folder, tests) => {
    if (root.includes('go.mod') && holds(tree, folder, '.go')) return smokeTest(goTest(folder));
    if (pytest && holds(tree, folder, '.py')) return smokeTest(pythonTest(tests));
    const script = javaScript && javaScriptTest(javaScript, name, tests);
    return script ?? (anything === undefined ? undefined : smokeTest(anything));
  };
}

const goTest = (folder: string): string =>
  folder !== '' && isPlain(folder) ? `go test ./${folder}/...` : 'go test ./...';

const pythonTest = (tests: readonly string[]): string =>
  ['python -m pytest', ...(tests.every(isPlain) ? tests : [])].join(' ');

/** True if a file of this ending lies in the folder, within a few levels. */
function holds(tree: SourceTree, folder: string, ending: string, depth = 6): boolean {
  if (tree.files(folder).some((path) => path.endsWith(ending))) return true;
  return depth > 0 && tree.folders(folder).some((it) => holds(tree, it, ending, depth - 1));
}
