/**
 * Programs that run other commands by a logic of their own. Those that need only a table are in
 * `wrappers/`.
 */
import { byName } from '../by-name.ts';
import type { Handler } from '../reader.ts';
import { runGit } from './git-commands.ts';
import { runGo, runInterpreter } from './interpreter.ts';
import { runLerna, runNx, runTurbo } from './monorepo-runners.ts';
import { runConcurrently, runNpm, runPackageManager, runScriptsByName } from './package-scripts.ts';
import { runCrontab, runInput, runOnInput, runShell } from './shells.ts';
import { runTasks } from './task-runners.ts';
import { TASK_RUNNERS } from './task-table.ts';
import { runAwk, runSed, runUnread, runWindowsShell } from './unread-languages.ts';
import { runFind, runParallel, runXargs } from './xargs.ts';

export const EXECUTORS: ReadonlyMap<string, Handler> = new Map([
  ...[...TASK_RUNNERS.keys()].map((name) => [name, runTasks] as const),
  ...byName<Handler>({
    'sh bash zsh dash ksh ash mksh fish rbash': runShell,
    'su sudo doas ssh': runOnInput,
    'at batch': runInput,
    crontab: runCrontab,
    'sed gsed': runSed,
    'find gfind fd fdfind': runFind,
    'xargs gxargs': runXargs,
    parallel: runParallel,
    git: runGit,
    npm: runNpm,
    'pnpm yarn bun': runPackageManager,
    'npm-run-all npm-run-all2 run-s run-p': runScriptsByName,
    'node nodejs tsx ts-node zx python python2 python3 py pypy3 perl ruby php': runInterpreter,
    deno: (argv, frame) => runTasks(argv, frame) ?? runInterpreter(argv, frame),
    go: runGo,
    turbo: runTurbo,
    'lerna lerna-lite': runLerna,
    nx: runNx,
    rushx: (argv, frame) => frame.reader.command(['npm', 'run', ...argv.slice(1)], frame),
    concurrently: runConcurrently,
    'awk gawk mawk': runAwk,
    'lua osascript Rscript julia tclsh wish expect groovy elixir jshell sbcl clisp guile emacs vi vim nvim ex erl swift scala ghc':
      runUnread,
    'powershell pwsh cmd iex Invoke-Expression': runWindowsShell,
  }),
]);
