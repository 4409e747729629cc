/** The test runner that a smoke test starts, and how it runs a single test file. */
import { posix } from 'node:path';
import type { SmokeTest } from '../../base/config/feature.ts';
import { shellWord } from '../../base/text/shell-quote.ts';
import { startedPrograms } from '../programs.ts';

const { basename, dirname, join, relative } = posix;

interface RunnerShape {
  /** The words that it starts with. */
  readonly starts: RegExp;
  /** Paths of its test files. */
  readonly tests: RegExp;
  /** What stands before the test file, in place of the paths that the command names. */
  readonly before?: readonly string[];
  /** Runs the package that a file is in. */
  readonly byFolder?: true;
  /** Reads each file that has changed, needed or not, and keeps what it has learned of it. */
  readonly readsChanges?: true;
}

const MARKED = /(?:[._-](?:test|spec)\.[cm]?[jt]sx?|(?:^|\/)__tests__\/.*\.[cm]?[jt]sx?)$/;

const RUNNERS: readonly RunnerShape[] = [
  { starts: /^vitest\b/, tests: MARKED },
  { starts: /^jest\b/, tests: MARKED, before: ['--runTestsByPath'], readsChanges: true },
  {
    starts: /^node (?:.* )?--test(?: |$)/,
    tests: /(?:[._-]test|(?:^|\/)test(?:-[^/]*|\/.*)?)\.[cm]?[jt]s$/,
  },
  { starts: /^pytest\b/, tests: /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/ },
  { starts: /^go test\b/, tests: /_test\.go$/, byFolder: true },
];

/** Programs that only start another one. */
const LAUNCHERS = new Set(
  'npm npx pnpm yarn bunx uv poetry pipenv hatch python python3 env cross-env'.split(' '),
);

export interface TestRunner extends Pick<RunnerShape, 'readsChanges'> {
  /** The command starts nothing else. */
  readonly isAlone: boolean;
  /** A package script starts it, so it may be a program that is installed in the project. */
  readonly inScript: boolean;
  /** The same for commands that run this test file in the same way, however they start the runner. */
  readonly way: (path: string) => string;
  readonly isTest: (path: string) => boolean;
  /** Runs this test file alone, or the package that it is in. */
  readonly only: (path: string) => SmokeTest;
  /** The path of a test file without tests, beside this one; `undefined` where it would say nothing. */
  readonly emptyBeside: (path: string) => string | undefined;
}

/** The last one that a command is known to start; `undefined` if none can be told what to run. */
export function runnerOf(test: SmokeTest, root: string): TestRunner | undefined {
  const started = startedPrograms(test.command, root, join(root, test.cwd));
  const last = started.findLast(({ words }) => shapeOf(words) !== undefined);
  const shape = shapeOf(last?.words ?? []);
  const folder = relative(root, last?.folder ?? '/');
  if (last === undefined || shape === undefined || /^\.\./.test(folder) || last.words.includes(''))
    return undefined;
  // `uv run pytest` and `python -m pytest` are started as they are written.
  const tail = last.words.join('\0');
  const { words } = started.find((it) => it.words.join('\0').endsWith(tail)) ?? last;
  const own = [...withoutPaths(last.words), ...(shape.before ?? [])];
  const start = [...words.slice(0, words.length - last.words.length), ...own];
  const named = (path: string): string =>
    shape.byFolder ? `./${dirname(relative(folder, path))}` : relative(folder, path);
  return {
    ...(shape.readsChanges && { readsChanges: true }),
    isAlone: started.every((it) => it === last || LAUNCHERS.has(basename(it.words[0] ?? ''))),
    inScript: last.inFile,
    way: (path) => [folder, ...own, named(path)].join('\0'),
    isTest: (path) => shape.tests.test(path),
    only(path) {
      const command = [...start, named(path)].map(shellWord).join(' ');
      return { ...test, command, cwd: folder };
    },
    emptyBeside(path) {
      const [, before = '', after = ''] =
        /^(test[_-])?.*?((?:[._-](?:test|spec))?\.[^.]+)$/.exec(basename(path)) ?? [];
      return shape.byFolder ? undefined : join(dirname(path), `${before}lanehold_empty${after}`);
    },
  };
}

const shapeOf = ([program = '', ...words]: readonly string[]): RunnerShape | undefined =>
  RUNNERS.find(({ starts }) => starts.test([basename(program), ...words].join(' ')));

/** Options whose next word is their value. */
const WITH_VALUE =
  /^(?:-[crptkmnoC]|--(?:import|require|(?:experimental-)?loader|test-reporter|test-name-pattern|env-file|conditions|project|config|root|rootdir|reporter|mode|environment|pool|dir|maxfail|timeout|confcutdir))$/;

/** Without the files, folders, globs and filters that a command names. */
function withoutPaths(words: readonly string[]): string[] {
  return words.filter((word, at) => {
    const isName = at === 0 || (at === 1 && /^(?:run|test)$/.test(word));
    return isName || word.startsWith('-') || WITH_VALUE.test(words[at - 1] ?? '');
  });
}

/** Whether all programs that a command is known to start run in Node or Python. */
export function isSeenByHooks({ command, cwd }: SmokeTest, root: string): boolean {
  const names = startedPrograms(command, root, join(root, cwd)).map((it) => it.words[0] ?? '');
  const isSeen = (name: string) =>
    LAUNCHERS.has(name) || /^(?:node|vitest|jest|pytest)$/.test(name);
  return names.length > 0 && names.map((it) => basename(it)).every(isSeen);
}
