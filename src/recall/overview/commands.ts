/** Finds how a project is built, tested, checked and run, from its manifests and task files. */
import {
  asObject,
  jsoncManifest,
  jsonManifest,
  type ReadFile,
  readManifest,
  yamlManifest,
} from '../../features/discover/manifest.ts';
import { type JavaScriptRoot, usesPytest } from '../../features/discover/packages.ts';
import type { SourceTree } from '../../features/discover/source-tree.ts';

const PURPOSES = {
  build: /^(?:build|compile|bundle|package|dist)$/,
  test: /^(?:tests?|check|verify|ci|e2e|unit|spec)$/,
  lint: /^(?:lint|format|fmt|typecheck|type-check|types|style)$/,
  run: /^(?:start|dev|serve|run|watch|preview)$/,
} as const;

type Purpose = keyof typeof PURPOSES;

export interface ProjectCommand {
  readonly purpose: Purpose;
  readonly command: string;
  readonly from: string;
}

/** The most commands of one purpose; a project can have a hundred scripts. */
const MOST = 4;

export function commandsOf(
  tree: SourceTree,
  readFile: ReadFile,
  javaScript: JavaScriptRoot | undefined,
): ProjectCommand[] {
  const files = tree.files('');
  const found = [
    ...scriptsOf(javaScript),
    ...TASK_FILES.flatMap(([file, start, tasks]) =>
      files
        .filter((it) => file.test(it))
        .flatMap((from) =>
          tasks(readFile, from).flatMap((name) => commandOf(name, `${start} ${name}`, from)),
        ),
    ),
    ...toolCommands(tree, readFile),
  ];
  return Object.keys(PURPOSES).flatMap((purpose) =>
    found.filter((it) => it.purpose === purpose).slice(0, MOST),
  );
}

/** Tasks with other names are left out, because a shell would need quotes. */
const PLAIN = /^[A-Za-z][\w:.-]{0,60}$/;

function commandOf(name: string, command: string, from: string): ProjectCommand[] {
  if (!PLAIN.test(name)) return [];
  const [first = ''] = name.split(/[:.]/);
  const purpose = (Object.keys(PURPOSES) as Purpose[]).find((it) => PURPOSES[it].test(first));
  return purpose === undefined ? [] : [{ purpose, command, from }];
}

function scriptsOf(javaScript: JavaScriptRoot | undefined): ProjectCommand[] {
  if (javaScript === undefined) return [];
  const { manifest, manager } = javaScript;
  const short = (name: string) =>
    manager !== 'bun' && (name === 'test' || name === 'start')
      ? `${manager} ${name}`
      : `${manager} run ${name}`;
  return shortestFirst(Object.keys(asObject(manifest.scripts))).flatMap((name) =>
    commandOf(name, short(name), 'package.json'),
  );
}

/** `test` comes before `test:unit`. */
const shortestFirst = (names: readonly string[]) =>
  names.toSorted((a, b) => a.split(':').length - b.split(':').length);

type Tasks = (readFile: ReadFile, path: string) => string[];

const matched =
  (pattern: RegExp): Tasks =>
  (readFile, path) =>
    Array.from(readManifest(readFile, path).matchAll(pattern), ([, name = '']) => name);
const targets = matched(/^([A-Za-z][\w.-]*)[ \t]*:(?!=)/gm);
const recipes = matched(/^@?([A-Za-z][\w-]*)(?:[ \t][^:\n]*)?:(?!=)/gm);

const keysOf =
  (manifest: typeof jsonManifest, key: string): Tasks =>
  (readFile, path) =>
    Object.keys(asObject(manifest(readFile, path)[key]));

const TASK_FILES: readonly (readonly [file: RegExp, start: string, tasks: Tasks])[] = [
  [/^(?:GNUm|[Mm])akefile$/, 'make', targets],
  [/^\.?[Jj]ustfile$/, 'just', recipes],
  [/^Taskfile\.ya?ml$/, 'task', keysOf(yamlManifest, 'tasks')],
  [/^deno\.jsonc?$/, 'deno task', keysOf(jsoncManifest, 'tasks')],
  [/^composer\.json$/, 'composer run', keysOf(jsonManifest, 'scripts')],
];

/** The usual commands of each ecosystem, by the file at the root that they need. */
const TOOLS: readonly (readonly [file: string | RegExp, purpose: Purpose, command: string])[] = [
  ['Cargo.toml', 'build', 'cargo build'],
  ['Cargo.toml', 'test', 'cargo test'],
  ['src/main.rs', 'run', 'cargo run'],
  ['go.mod', 'build', 'go build ./...'],
  ['go.mod', 'test', 'go test ./...'],
  ['main.go', 'run', 'go run .'],
  ['tox.ini', 'test', 'tox'],
  ['noxfile.py', 'test', 'nox'],
  ['manage.py', 'test', 'python manage.py test'],
  ['manage.py', 'run', 'python manage.py runserver'],
  ['gradlew', 'build', './gradlew build'],
  ['gradlew', 'test', './gradlew test'],
  ['mvnw', 'test', './mvnw test'],
  ['pom.xml', 'build', 'mvn package'],
  ['pom.xml', 'test', 'mvn test'],
  ['mix.exs', 'test', 'mix test'],
  ['Package.swift', 'build', 'swift build'],
  ['Package.swift', 'test', 'swift test'],
  ['.rspec', 'test', 'bundle exec rspec'],
  ['Rakefile', 'test', 'bundle exec rake'],
  ['phpunit.xml.dist', 'test', 'vendor/bin/phpunit'],
  ['CMakeLists.txt', 'build', 'cmake -S . -B build && cmake --build build'],
  ['CMakeLists.txt', 'test', 'ctest --test-dir build'],
  ['build.zig', 'build', 'zig build'],
  [/\.sln$/, 'build', 'dotnet build'],
  [/\.sln$/, 'test', 'dotnet test'],
];

function toolCommands(tree: SourceTree, readFile: ReadFile): ProjectCommand[] {
  const files = [...tree.files(''), ...tree.files('src')];
  const known = TOOLS.flatMap(([file, purpose, command]) => {
    const from = files.find((it) => (typeof file === 'string' ? it === file : file.test(it)));
    return from === undefined ? [] : { purpose, command, from };
  });
  const pytest = { purpose: 'test', command: 'python -m pytest', from: 'pytest' } as const;
  return usesPytest(tree, readFile, '') ? [...known, pytest] : known;
}
