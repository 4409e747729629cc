/** Finds the tests of a folder: beside it, inside it, or mirrored under a folder of tests. */
import {
  baseName,
  isSource,
  isSpeakable,
  isTest,
  parent,
  type SourceTree,
  within,
} from './source-tree.ts';

const TEST_ROOTS = ['test', 'tests', '__tests__', 'spec', 'specs', 'e2e'];
const KINDS = ['', 'unit', 'integration', 'e2e'];
const MAX_FILES = 20;

export interface TestPlaces {
  /** Folders outside the source folder that hold only its tests. */
  readonly folders: readonly string[];
  /** Single test files outside it that carry its name. */
  readonly files: readonly string[];
}

/** @param folder a source folder, such as `src/checkout`. */
export function mirroredTests(tree: SourceTree, folder: string): TestPlaces {
  const name = baseName(folder);
  const roots = testRoots(tree, parent(folder));
  const named = roots.map((root) => within(root, name));
  const maven = folder.includes('/main/') ? [folder.replace('/main/', '/test/')] : [];
  const folders = [...named, ...maven].filter((it) => it !== folder && tree.has(it));
  const files = testsNamed(tree, roots, new Set([name]));
  return { folders, files };
}

/** Test files outside a folder that carry the name of a file directly in it. */
export function testsOfFiles(tree: SourceTree, folder: string): readonly string[] {
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
export function hasOwnTests(tree: SourceTree, folder: string, depth = 4): boolean {
  if (tree.files(folder).some(isTest)) return true;
  if (depth === 0) return false;
  return tree.folders(folder).some((child) => hasOwnTests(tree, child, depth - 1));
}
