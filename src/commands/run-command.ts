/**
 * Reads one simple command: a function or builtin of the shell, a program that runs other commands,
 * a tool with rules, or a script of the project.
 */
import { byName } from './by-name.ts';
import { noteSwitches } from './guard/layers.ts';
import { isWaiver, noteTampering } from './guard/tampering.ts';
import { knownProgram } from './known-programs.ts';
import { runFind, runParts } from './programs/find.ts';
import { runGit } from './programs/git-commands.ts';
import { INTERPRETERS, runGo, runInterpreter } from './programs/interpreter.ts';
import { runMonorepo } from './programs/monorepo-runners.ts';
import { outputOf } from './programs/outputs.ts';
import {
  runConcurrently,
  runNpm,
  runPackageManager,
  runScriptsByName,
} from './programs/package-scripts.ts';
import {
  interpreterByName,
  runCrontab,
  runInput,
  runOnInput,
  runScriptFile,
  runShell,
  runWindowsShell,
} from './programs/shells.ts';
import { runTasks } from './programs/task-runners.ts';
import { TASK_RUNNERS } from './programs/task-table.ts';
import { runWrapped } from './programs/wrapped.ts';
import { runParallel, runXargs } from './programs/xargs.ts';
import { type Argv, type Frame, type Handler, inside, type Output } from './reader.ts';
import { runBuiltin } from './shell/builtins.ts';
import { isKnown, isWhollyUnknown, UNKNOWN, UNKNOWN_WORDS, wordText } from './shell/unknown.ts';
import { callFunction } from './shell/walk.ts';
import { matchAdded, matchTool } from './tools/match-rules.ts';
import { toolsNamed } from './tools/tools.ts';
import { isReleaseVerb, matchUnlisted } from './tools/unlisted.ts';

/** Programs that run other commands by a logic of their own. Those that need only a table are in `wrappers.ts`. */
const EXECUTORS: ReadonlyMap<string, Handler> = new Map([
  ...[...TASK_RUNNERS.keys()].map((name) => [name, runTasks] as const),
  ...byName<Handler>({
    'sh bash zsh dash ksh ash mksh fish rbash': runShell,
    'su sudo doas ssh': runOnInput,
    'at batch': runInput,
    crontab: runCrontab,
    'find gfind fd fdfind': runFind,
    'run-parts': runParts,
    'xargs gxargs': runXargs,
    'parallel sem': runParallel,
    git: runGit,
    npm: runNpm,
    'pnpm yarn bun': runPackageManager,
    'npm-run-all npm-run-all2 run-s run-p': runScriptsByName,
    [INTERPRETERS]: runInterpreter,
    deno: (argv, frame) => runTasks(argv, frame) ?? runInterpreter(argv, frame),
    go: runGo,
    'turbo nx lerna lerna-lite': runMonorepo,
    rushx: (argv, frame) => frame.reader.command(['npm', 'run', ...argv.slice(1)], frame),
    concurrently: runConcurrently,
    'powershell pwsh cmd iex Invoke-Expression': runWindowsShell,
  }),
]);

export function runCommand(argv: Argv, frame: Frame): Output {
  const [first, ...rest] = argv;
  if (first === undefined) return [''];
  if (isWhollyUnknown(first)) return runUnknown(first, rest, frame);
  const defined = frame.state.functions.get(first);
  if (defined) return callFunction(defined, argv, frame);
  const alias = frame.state.aliases.get(first);
  if (alias !== undefined) return runAlias(first, alias, rest, frame);
  const name = canonical(programName(first));
  if (!isKnown(name)) {
    const fit = isProjectFile(first) ? 'may-release' : undefined;
    frame.reader.opaque('which program runs cannot be read from the command', argv, frame, fit);
    return [UNKNOWN];
  }
  return runProgram(name, argv, frame);
}

function runProgram(name: string, argv: Argv, frame: Frame): Output {
  const [word = '', ...args] = argv;
  // `./deploy` and `./test` are files of the project, not the builtin or tool of that name.
  const isProject = isProjectFile(word);
  const builtin = isProject ? undefined : runBuiltin(name, argv, frame);
  if (builtin) return builtin;
  if (POWERSHELL.test(name) && !knownProgram(name))
    frame.reader.opaque('PowerShell is not read', argv, frame);
  if (isWaiver(name, argv)) frame.reader.waiver(argv, frame);
  const { output, isKnownProgram } = runTool(name, argv, frame);
  if (output && !isProject) return output;
  const isFile = isProject || (!isKnownProgram && isFileName(word, frame));
  const ran = isFile ? runScriptFile(word, args, frame) : undefined;
  return ran ?? output ?? outputOf(name, argv, frame);
}

function runTool(name: string, argv: Argv, frame: Frame) {
  const tools = toolsNamed(name);
  let isDecided = false;
  for (const tool of tools) isDecided = matchTool(tool, argv, frame) || isDecided;
  matchAdded(argv, frame);
  noteTampering(name, argv, frame);
  if (name !== 'git' && name !== 'lanehold') noteSwitches(argv, frame);
  const executor = EXECUTORS.get(name);
  const output = executor ? executor(argv, frame) : runWrapped(name, argv, frame);
  // Such a tool's executor knows the tasks of the project, which can have any name.
  const namesTask = executor && !tools.some((it) => it.subcommands ?? it.staysHere);
  if (!(isDecided || output || namesTask)) matchUnlisted(name, argv, tools, frame);
  return { output, isKnownProgram: tools.length > 0 || executor !== undefined };
}

/**
 * `$X git push`: if X is empty or a wrapper such as `sudo`, the rest runs. A boundary in the rest
 * is reported as one; otherwise the command is opaque.
 */
function runUnknown(first: string, rest: Argv, frame: Frame): Output {
  const argv = [first, ...rest];
  // `$x = 1` and `$x += 1` are assignments of PowerShell.
  if (/^\+?=$/.test(rest[0] ?? '')) return [UNKNOWN];
  const fit = rest.length === 0 || fitsRelease(rest) ? 'may-release' : undefined;
  frame.reader.opaque('which program runs cannot be read from the command', argv, frame, fit);
  const label = first === UNKNOWN_WORDS ? '$…' : '"$…"';
  if (rest.length > 0) frame.reader.command(rest, inside(frame, label, { secondReading: true }));
  return [UNKNOWN];
}

/** A release verb, or a remote and a ref: `"$X" publish`, `$X origin main`. */
function fitsRelease([first = '', second]: readonly string[]): boolean {
  const isRemote = /^(origin|upstream|[\w.-]+@[\w.-]+:.+|\w+:\/\/.+)$/.test(first);
  return isReleaseVerb(first) || (isRemote && second !== undefined && !second.startsWith('-'));
}

function runAlias(name: string, alias: string, rest: Argv, frame: Frame): Output {
  // An alias is not expanded inside itself: `alias git='git -c x=y'`.
  frame.state.aliases.delete(name);
  const text = [alias, ...rest.map(wordText)].join(' ');
  const output = frame.reader.script(text, inside(frame, `alias ${name}`));
  // bash expands aliases only if it is interactive or `expand_aliases` is set; else the program
  // runs.
  frame.reader.command([name, ...rest], { ...frame, secondReading: true });
  frame.state.aliases.set(name, alias);
  return output;
}

/** A path, or a script by its file name, which runners such as `uv run` find in the folder. */
function isFileName(word: string, { secondReading }: Frame): boolean {
  return word.includes('/') || (!secondReading && interpreterByName(word) !== undefined);
}

/** A relative path, but not one of an installed package. */
function isProjectFile(word: string): boolean {
  return word.includes('/') && !word.startsWith('/') && !word.includes('node_modules/');
}

/** How a command of PowerShell begins: `Write-Host`, `$x = 1`, whose variable is empty in bash. */
const POWERSHELL = /^(?:=|[A-Z][a-z]+-[A-Z][A-Za-z]+)$/;

/** `/usr/bin/git`, `git.exe`, `npm.cmd` and `git` are one program. */
function programName(word: string): string {
  const base = word.replace(/^.*[/\\]/s, '');
  return base.replace(/(?<!^)\.(?:exe|cmd|bat|com)$/i, '');
}

/** `python3.12` is `python3`, `ruby3.2` is `ruby`; where the disk ignores case, `Git` is `git`. */
function canonical(name: string): string {
  const lower = name.toLowerCase();
  if (lower !== name && (EXECUTORS.has(lower) || toolsNamed(lower).length > 0)) {
    return EXECUTORS.has(name) ? name : lower;
  }
  const match = /^([a-z]+)(\d*)(?:\.\d+)+$/.exec(name);
  const [, word = '', major = ''] = match ?? [];
  return [word + major, word].find((it) => EXECUTORS.has(it)) ?? name;
}
