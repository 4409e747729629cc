/** How a project is built, tested, checked and run: what its manifests and task files name. */
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
    ...TASK_FILES.filter(({ from }) => files.includes(from)).flatMap(({ from, start, tasks }) =>
      tasks(readFile, from).flatMap((name) => commandOf(name, `${start} ${name}`, from)),
    ),
    ...toolCommands(tree, readFile),
  ];
  return Object.keys(PURPOSES).flatMap((purpose) =>
    found.filter((it) => it.purpose === purpose).slice(0, MOST),
  );
}

/** The whole name first, so that `test` comes before `test:unit`. */
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

const shortestFirst = (names: readonly string[]) =>
  names.toSorted((a, b) => a.split(':').length - b.split(':').length);

interface TaskFile {
  readonly from: string;
  readonly start: string;
  readonly tasks: (readFile: ReadFile, path: string) => string[];
}

const matched = (pattern: RegExp) => (readFile: ReadFile, path: string) =>
  Array.from(readManifest(readFile, path).matchAll(pattern), ([, name = '']) => name);
const targets = matched(/^([A-Za-z][\w.-]*)[ \t]*:(?!=)/gm);
const recipes = matched(/^@?([A-Za-z][\w-]*)(?:[ \t][^:\n]*)?:(?!=)/gm);

const TASK_FILES: readonly TaskFile[] = [
  ...['Makefile', 'makefile', 'GNUmakefile'].map((from) => ({
    from,
    start: 'make',
    tasks: targets,
  })),
  ...['justfile', 'Justfile', '.justfile'].map((from) => ({ from, start: 'just', tasks: recipes })),
  ...['Taskfile.yml', 'Taskfile.yaml'].map((from) => ({
    from,
    start: 'task',
    tasks: (readFile: ReadFile, path: string) =>
      Object.keys(asObject(yamlManifest(readFile, path).tasks)),
  })),
  ...['deno.json', 'deno.jsonc'].map((from) => ({
    from,
    start: 'deno task',
    tasks: (readFile: ReadFile, path: string) =>
      Object.keys(asObject(jsoncManifest(readFile, path).tasks)),
  })),
  {
    from: 'composer.json',
    start: 'composer run',
    tasks: (readFile, path) => Object.keys(asObject(jsonManifest(readFile, path).scripts)),
  },
];

/** Commands that each ecosystem has, by the file at the root that it needs. */
const TOOLS: readonly (readonly [file: string, purpose: Purpose, command: string])[] = [
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
];

function toolCommands(tree: SourceTree, readFile: ReadFile): ProjectCommand[] {
  const files = new Set([...tree.files(''), ...tree.files('src')]);
  const known = TOOLS.filter(([file]) => files.has(file)).map(([from, purpose, command]) => ({
    purpose,
    command,
    from,
  }));
  const [solution] = [...files].filter((it) => it.endsWith('.sln'));
  return [
    ...known,
    ...(usesPytest(tree, readFile, '')
      ? [{ purpose: 'test', command: 'python -m pytest', from: 'pytest' } as const]
      : []),
    ...(solution === undefined
      ? []
      : ([
          { purpose: 'build', command: 'dotnet build', from: solution },
          { purpose: 'test', command: 'dotnet test', from: solution },
        ] as const)),
  ];
}
