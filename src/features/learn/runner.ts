/** The test runner that a smoke test starts, and how it runs a test file that has no tests. */
import { posix } from 'node:path';
import type { SmokeTest } from '../../base/config/feature.ts';
import { shellWord } from '../../base/text/shell-quote.ts';
import { startedPrograms } from '../programs.ts';
import { runnerOf, withoutPaths } from '../test-runners.ts';

const { basename, dirname, join, relative } = posix;

export type StartedRunner = NonNullable<ReturnType<typeof startedRunner>>;

/** The last runner that a command starts; `undefined` if none takes the name of a file to run. */
export function startedRunner(test: SmokeTest, root: string) {
  const started = startedPrograms(test.command, root, join(root, test.cwd));
  const last = started.findLast(({ words }) => runnerOf(words)?.runner.tests !== undefined);
  const { runner, count = 0 } = runnerOf(last?.words ?? []) ?? {};
  const folder = relative(root, last?.folder ?? '/');
  if (!last || !runner?.tests || /^\.\./.test(folder) || last.words.includes('')) return undefined;
  const { tests, readsChanges, before } = runner;
  // `uv run pytest` and `python -m pytest` are started as they are written.
  const tail = last.words.join('\0');
  const { words } = started.find((it) => it.words.join('\0').endsWith(tail)) ?? last;
  const own = [...withoutPaths(last.words, count), ...(before === undefined ? [] : [before])];
  const start = [...words.slice(0, words.length - last.words.length), ...own];
  return {
    readsChanges,
    /** A package script starts the runner, so it may be a program that is installed in the project. */
    inScript: last.inFile,
    isTest: (path: string) => tests.test(path),
    /** Runs this test file alone. */
    only(path: string): SmokeTest {
      const command = [...start, relative(folder, path)].map(shellWord).join(' ');
      return { ...test, command, cwd: folder };
    },
    /** The path of a test file without tests, beside this one. */
    emptyBeside(path: string): string {
      const [, head = '', tail = ''] =
        /^(test[_-])?.*?((?:[._-](?:test|spec))?\.[^.]+)$/.exec(basename(path)) ?? [];
      return join(dirname(path), `${head}lanehold_empty${tail}`);
    },
  };
}
