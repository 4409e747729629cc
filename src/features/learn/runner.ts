/** The test runner that a smoke test starts, and how it runs a single test file. */
import { posix } from 'node:path';
import type { SmokeTest } from '../../base/config/feature.ts';
import { shellWord } from '../../base/text/shell-quote.ts';
import { startedPrograms } from '../programs.ts';
import { INTERPRETER, runnerOf, STARTER, type TestRunner, withoutPaths } from '../test-runners.ts';

const { basename, dirname, join, relative } = posix;

export interface StartedRunner extends Pick<TestRunner, 'readsChanges'> {
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
export function startedRunner(test: SmokeTest, root: string): StartedRunner | undefined {
  const started = startedPrograms(test.command, root, join(root, test.cwd));
  const last = started.findLast(({ words }) => runnerOf(words)?.runner.tests !== undefined);
  const { runner, count = 0 } = runnerOf(last?.words ?? []) ?? {};
  const folder = relative(root, last?.folder ?? '/');
  if (!last || !runner?.tests || /^\.\./.test(folder) || last.words.includes('')) return undefined;
  const { tests, byFolder, readsChanges, before } = runner;
  // `uv run pytest` and `python -m pytest` are started as they are written.
  const tail = last.words.join('\0');
  const { words } = started.find((it) => it.words.join('\0').endsWith(tail)) ?? last;
  const own = [...withoutPaths(last.words, count), ...(before === undefined ? [] : [before])];
  const start = [...words.slice(0, words.length - last.words.length), ...own];
  const named = (path: string): string =>
    byFolder ? `./${dirname(relative(folder, path))}` : relative(folder, path);
  return {
    ...(readsChanges && { readsChanges }),
    isAlone: started.every((it) => it === last || isLauncher(basename(it.words[0] ?? ''))),
    inScript: last.inFile,
    way: (path) => [folder, ...own, named(path)].join('\0'),
    isTest: (path) => tests.test(path),
    only(path) {
      const command = [...start, named(path)].map(shellWord).join(' ');
      return { ...test, command, cwd: folder };
    },
    emptyBeside(path) {
      const [, before = '', after = ''] =
        /^(test[_-])?.*?((?:[._-](?:test|spec))?\.[^.]+)$/.exec(basename(path)) ?? [];
      return byFolder ? undefined : join(dirname(path), `${before}lanehold_empty${after}`);
    },
  };
}

/** Programs that only start another one. */
const isLauncher = (name: string): boolean => STARTER.test(name) || INTERPRETER.test(name);

/** Whether all programs that a command is known to start run in Node or Python. */
export function isSeenByHooks({ command, cwd }: SmokeTest, root: string): boolean {
  const names = startedPrograms(command, root, join(root, cwd)).map((it) => it.words[0] ?? '');
  const isSeen = (name: string) => isLauncher(name) || /^(?:node|vitest|jest|pytest)$/.test(name);
  return names.length > 0 && names.map((it) => basename(it)).every(isSeen);
}
