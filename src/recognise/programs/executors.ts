/** Programs that run what they are given in ways of their own; the regular ones are in `wrappers/`. */
import type { Handler } from '../shell/builtins.ts';
import { runCmd, runExpression, runPowerShell } from '../shell/windows.ts';
import { runEditor, runExpect } from './embedded-commands.ts';
import { runFind } from './find.ts';
import { runGit } from './git.ts';
import { runInterpreter } from './interpreter.ts';
import { runInput, runOnInput } from './on-input.ts';
import {
  runComposer,
  runDeno,
  runNpm,
  runPackageManager,
  runScriptsByName,
} from './package-scripts.ts';
import { runShell } from './shells.ts';
import { runJust, runMake, runTask } from './task-runners.ts';
import { runAwk, runUnread } from './unread-languages.ts';
import { runParallel, runXargs } from './xargs.ts';

export const EXECUTORS: Readonly<Record<string, Handler>> = {
  sh: runShell,
  bash: runShell,
  zsh: runShell,
  dash: runShell,
  ksh: runShell,
  ash: runShell,
  mksh: runShell,
  fish: runShell,
  rbash: runShell,
  su: runOnInput,
  sudo: runOnInput,
  doas: runOnInput,
  ssh: runOnInput,
  at: runInput,
  batch: runInput,
  find: runFind,
  gfind: runFind,
  fd: runFind,
  fdfind: runFind,
  xargs: runXargs,
  gxargs: runXargs,
  parallel: runParallel,
  git: runGit,
  npm: runNpm,
  pnpm: runPackageManager,
  yarn: runPackageManager,
  bun: runPackageManager,
  'npm-run-all': runScriptsByName,
  'npm-run-all2': runScriptsByName,
  'run-s': runScriptsByName,
  'run-p': runScriptsByName,
  make: runMake,
  gmake: runMake,
  just: runJust,
  task: runTask,
  node: runInterpreter,
  nodejs: runInterpreter,
  tsx: runInterpreter,
  'ts-node': runInterpreter,
  deno: runDeno,
  composer: runComposer,
  zx: runInterpreter,
  python: runInterpreter,
  python2: runInterpreter,
  python3: runInterpreter,
  py: runInterpreter,
  pypy3: runInterpreter,
  perl: runInterpreter,
  ruby: runInterpreter,
  php: runInterpreter,
  awk: runAwk,
  gawk: runAwk,
  mawk: runAwk,
  lua: runUnread,
  osascript: runUnread,
  Rscript: runUnread,
  julia: runUnread,
  vi: runEditor,
  vim: runEditor,
  nvim: runEditor,
  ex: runEditor,
  expect: runExpect,
  powershell: runPowerShell,
  pwsh: runPowerShell,
  cmd: runCmd,
  iex: runExpression,
  'Invoke-Expression': runExpression,
};
