import { type JavaScriptRoot, javaScriptTest } from './javascript.ts';
import { type ReadFile, readManifest } from './manifest.ts';
import { usesPytest } from './packages.ts';
import { smokeTest } from './part.ts';
import type { TestCommand } from './source-folders.ts';
import { isPlain, type SourceTree } from './source-tree.ts';

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
