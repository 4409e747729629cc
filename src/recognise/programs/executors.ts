/**
 * Programs that run other commands by a logic of their own. Those that need only a table are in
 * `wrappers/`.
 */
import { byName } from '../by-name.ts';
import type { Handler } from '../reader.ts';
import { runCmd, runExpression, runPowerShell } from '../shell/windows.ts';
import { runGit } from './git-commands.ts';
import { runInterpreter } from './interpreter.ts';
import {
  runComposer,
  runDeno,
  runNpm,
  runPackageManager,
  runScriptsByName,
} from './package-scripts.ts';
import { runInput, runOnInput, runShell } from './shells.ts';
import { runJust, runMake, runTask } from './task-runners.ts';
import { runAwk, runEditor, runExpect, runUnread } from './unread-languages.ts';
import { runFind, runParallel, runXargs } from './xargs.ts';

/** By the program's name. */
export const EXECUTORS = byName<Handler>({
  'sh bash zsh dash ksh ash mksh fish rbash': runShell,
  'su sudo doas ssh': runOnInput,
  'at batch': runInput,
  'find gfind fd fdfind': runFind,
  'xargs gxargs': runXargs,
  parallel: runParallel,
  git: runGit,
  npm: runNpm,
  'pnpm yarn bun': runPackageManager,
  'npm-run-all npm-run-all2 run-s run-p': runScriptsByName,
  'make gmake': runMake,
  just: runJust,
  task: runTask,
  'node nodejs tsx ts-node zx python python2 python3 py pypy3 perl ruby php': runInterpreter,
  deno: runDeno,
  composer: runComposer,
  'awk gawk mawk': runAwk,
  'lua osascript Rscript julia': runUnread,
  'vi vim nvim ex': runEditor,
  expect: runExpect,
  'powershell pwsh': runPowerShell,
  cmd: runCmd,
  'iex Invoke-Expression': runExpression,
});
