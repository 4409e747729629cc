/** `sh`, `bash` and other shells: `-c` text, a script on their input, or a script file of any origin. */

import { basename, join } from 'node:path';
import { attempt } from '../../base/errors.ts';
import { packageRoot } from '../../base/files/package.ts';
import { words } from '../../base/text/options.ts';
import { hasReleaseWord } from '../../base/text/release-words.ts';
import { byName } from '../by-name.ts';
import {
  type Argv,
  type Frame,
  type Handler,
  inside,
  insideFile,
  type Output,
  reportUnknown,
} from '../reader.ts';
import { fileTexts, pathsOf } from '../shell/redirect.ts';
import { ShellState } from '../shell/shell-state.ts';
import { FROM_NETWORK, isFromNetwork, isKnown, UNKNOWN } from '../shell/unknown.ts';
import { runWrapped } from './wrapped.ts';

export const runShell: Handler = (argv, frame) => {
  const call = readCall(argv);
  if (call.checksOnly) return [''];
  const name = argv[0] ?? 'sh';
  const state = newShell(name, frame, call.isInteractive);
  if (call.text !== undefined) {
    state.parameters = [call.args.slice(1)];
    state.readsScript(call.args[0] ?? name);
    return frame.reader.script(call.text, inside(frame, `${name} -c`, { state }));
  }
  if (call.file !== undefined && call.file !== '-') {
    // `sh gradlew publish`: the rules know the program by its own name.
    const program = [basename(call.file), ...call.args];
    const second = inside(frame, name, { secondReading: true, state: state.copy() });
    frame.reader.command(program, second);
    return runShellFile(call.file, call.args, { ...frame, state });
  }
  state.parameters = [call.args];
  state.readsScript(name);
  return runTexts(frame.stdin(), name, state, frame);
};

/** The state of a new shell. It first reads the file that a variable names; before prompts, a command may run. */
function newShell(name: string, frame: Frame, isInteractive = false): ShellState {
  const state = frame.state.forProcess();
  const within = inside(frame, 'start of the shell', { state });
  const isBash = basename(name) === 'bash';
  const variable = isInteractive ? !isBash && 'ENV' : isBash && 'BASH_ENV';
  for (const [file = ''] of (variable && state.variables.get(variable)) || [])
    sourceFile(['source', file], within);
  for (const [text = ''] of (isInteractive && state.variables.get('PROMPT_COMMAND')) || [])
    frame.reader.script(text, within);
  return state;
}

function runTexts(texts: Output, name: string, state: ShellState, frame: Frame): Output {
  const within = inside(frame, `input of ${name}`, { state, stdin: () => [''] });
  return texts.flatMap((text) => frame.reader.script(text, within));
}

const LONG_WITH_VALUE = new Set(['--rcfile', '--init-file']);

/** The text, the file or neither, with its parameters; `-n` only checks the syntax. */
function readCall(argv: Argv) {
  const { flags, operands } = readFlags(argv);
  const [first = '', ...args] = operands;
  const [isText, isInput] = [flags.includes('c'), flags.includes('s') || operands.length === 0];
  return {
    text: isText ? first : undefined,
    file: isText || isInput ? undefined : first,
    args: isText || !isInput ? args : operands,
    checksOnly: flags.includes('n'),
    isInteractive: flags.includes('i'),
  };
}

function readFlags(argv: Argv): { flags: string; operands: readonly string[] } {
  let flags = '';
  let at = 1;
  while (/^[-+]./.test(argv[at] ?? '') && argv[at] !== '--') {
    const word = argv[at] ?? '';
    if (word === '--help' || word === '--version') flags += 'n';
    else if (/^-\w/.test(word)) flags += word;
    at += LONG_WITH_VALUE.has(word) || /^[-+]\w*[oO]$/.test(word) ? 2 : 1;
  }
  const marked = argv[at] === '--' || argv[at] === '-';
  return { flags, operands: argv.slice(marked ? at + 1 : at) };
}

/** `at now <<< "git push"`: the input is a shell program. */
export const runInput: Handler = ([name = ''], frame) =>
  runTexts(frame.stdin(), name, frame.state.copy(), frame);

/** `crontab file`: a time comes before each command. The earlier table is unknown. */
export const runCrontab: Handler = (argv, frame) => {
  const [file] = argv.slice(1).filter((it) => !it.startsWith('-'));
  if (argv.some((it) => /^-[lre]/.test(it))) return undefined;
  const texts = file === undefined ? frame.stdin() : (fileTexts(file, frame) ?? []);
  const commands = texts.map((it) =>
    it.replace(/^[\uE000-\uE002]+|^[ \t]*(?:@\w+|(?:[\d*,/A-Za-z-]+\s+){5})/gm, ''),
  );
  return runTexts(commands, 'crontab', frame.state.forProcess(), frame);
};

/** `ssh host`, `su user`: their arguments if they name a command, else their input. */
export const runOnInput: Handler = (argv, frame) => {
  const name = argv[0] ?? '';
  const output = runWrapped(name, argv, frame);
  if (output) return output;
  const texts = frame.stdin();
  if (texts.every((text) => text === '')) return undefined;
  return runTexts(texts, name, new ShellState([undefined]), frame);
};

export function runScriptFile(name: string, args: Argv, frame: Frame): Output | undefined {
  const [text] = fileTexts(name, frame) ?? [];
  if (text === undefined) return undefined;
  const interpreter = interpreterOf(text) ?? interpreterByName(name);
  if (interpreter && !SHELLS.has(interpreter[0] ?? '')) {
    const within = { ...frame, state: frame.state.copy() };
    return frame.reader.command([...interpreter, name, ...args], within);
  }
  const state = newShell(interpreter?.[0] ?? 'bash', frame);
  return runShellFile(name, args, { ...frame, state });
}

/** Reads a file as a program of a shell that was named: `bash x.sh`. */
function runShellFile(name: string, args: Argv, frame: Frame): Output | undefined {
  return withScript(name, [name, ...args], frame, (text, within) => {
    const state = within.state.forProcess();
    state.parameters = [args];
    state.readsScript(name);
    return frame.reader.script(text, { ...within, state });
  });
}

/** `source x` and `. x`: in the shell's own state. */
export function sourceFile(argv: Argv, frame: Frame): Output {
  const [, name, ...args] = argv;
  if (name === undefined) return [''];
  const output = withScript(name, argv, frame, (text, within) => {
    const { state } = within;
    const { parameters, mayReturn } = state;
    const caller = state.variables.get('BASH_SOURCE') ?? [[]];
    state.variables.set(
      'BASH_SOURCE',
      caller.map((it) => [name, ...it]),
    );
    if (args.length > 0) state.parameters = [args];
    state.mayReturn = true;
    const printed = frame.reader.script(text, within);
    state.parameters = parameters;
    state.mayReturn = mayReturn;
    state.variables.set('BASH_SOURCE', caller);
    if (state.ended === 'return') state.ended = undefined;
    return printed;
  });
  if (output === undefined) frame.state.hasUnknownVariables = true;
  return output ?? [UNKNOWN];
}

/** True for a name of which at most the folder is known. */
export const isUnseen = (name: string): boolean => !isKnown(basename(name));

/** Reports a script whose text no hook sees. */
export function runUnseen(argv: Argv, frame: Frame): Output {
  const why = 'which script runs cannot be read from the command';
  if (!frame.secondReading) frame.reader.unseen(why, argv, frame);
  return [UNKNOWN];
}

/** By convention, scripts of these names set a shell up, and do nothing else. */
const SETS_UP =
  /(?:^|[._-])(?:activate|\w*rc|profile|env\w*|conf|config\w*|settings|options|init|setup|setvars|vars|exports?|completions?|nvm|asdf|conda|emsdk)(?:[._-]\w+)*$/i;

const OWN_SCRIPT = 'lanehold-hook.sh';

/** True for the script of git's hook, which each push from such a clone starts: it is long, and pushes nothing. */
const isOwnScript = (name: string): boolean =>
  // A supervisor may run outside of the package, which is then not found.
  name === attempt(() => join(packageRoot(), 'dist', OWN_SCRIPT));

/** Passes on each text that a script of a shell may have; one that cannot be read is opaque. */
function withScript(
  name: string,
  argv: Argv,
  frame: Frame,
  run: (text: string, frame: Frame) => Output,
): Output | undefined {
  if (basename(name) === OWN_SCRIPT && isOwnScript(name)) return [''];
  const output = withFile(name, frame, run);
  if (output !== undefined || name === '' || SETS_UP.test(basename(name))) return output;
  if (!isKnown(name)) return runUnseen(argv, frame);
  return reportMissing(name, argv, frame, frame.reader.mayHaveMadeFiles());
}

/** Programs of the system and of packages, which may be too large to read. */
const INSTALLED =
  /^\/(?:usr|opt|nix|snap|Applications|Library)\/|\/(?:node_modules|site-packages|\.\w+)\//;

/**
 * Reports a program that cannot be read. A file that the project lacks does not run, or a build makes it.
 *
 * @param isMade something else may have made it.
 */
export function reportMissing(
  file: string,
  argv: Argv,
  frame: Frame,
  isMade = false,
): Output | undefined {
  const { context } = frame.reader;
  const root = context.toplevel(context.cwd) ?? context.cwd;
  const isElsewhere = pathsOf(file, frame).some(
    (it) => isKnown(it) && !it.startsWith(`${root}/`) && !INSTALLED.test(it),
  );
  if (/^https?:/.test(file)) reportUnknown(FROM_NETWORK, frame);
  else if (isUnseen(file)) return runUnseen(argv, frame);
  else if (isMade || isElsewhere || !isKnown(file)) {
    const fit = isMade || isElsewhere ? 'may-release' : undefined;
    frame.reader.opaque(`the program \`${basename(file)}\` cannot be read`, argv, frame, fit);
  }
  return undefined;
}

/** Passes on each text a file may contain. An unreadable file is ignored, unless its text came from the network. */
export function withFile(
  name: string,
  frame: Frame,
  run: (text: string, frame: Frame) => Output,
): Output | undefined {
  const texts = fileTexts(name, frame);
  if (!texts) return undefined;
  const label = name.startsWith('/dev/fd/') ? 'process substitution' : name;
  return texts.flatMap((text) => {
    if (isFromNetwork(text) || isWrittenByCommand(name, frame))
      return run(text, inside(frame, label));
    return insideFile(frame, `file ${name}`, label, (within) =>
      run(text, { ...within, statement: text }),
    );
  });
}

function isWrittenByCommand(name: string, frame: Frame): boolean {
  return name.startsWith('/dev/') || pathsOf(name, frame).some((it) => frame.reader.written(it));
}

/** The words of a `#!` line: `/usr/bin/env -S node --x` is `node --x`. */
function interpreterOf(text: string): readonly string[] | undefined {
  if (!text.startsWith('#!')) return undefined;
  const line = text.slice(2).split('\n', 1).join('').trim();
  const [first = '', ...rest] = line.split(/\s+/).filter(isKnown);
  const program = basename(first);
  return program === 'env' ? rest.filter((it) => it !== '-S') : [program, ...rest];
}

const INTERPRETERS = byName({
  ps1: 'pwsh',
  'bat cmd': 'cmd /c',
  py: 'python3',
  'js mjs cjs ts mts': 'node',
  rb: 'ruby',
  pl: 'perl',
  php: 'php',
});

/** The program that runs a file without a `#!` line, by the ending of its name. */
export function interpreterByName(name: string): readonly string[] | undefined {
  const [, ending = ''] = /\.(\w+)$/.exec(name) ?? [];
  return INTERPRETERS.get(ending)?.split(' ');
}

const SHELLS = words('sh bash dash zsh ksh ash mksh');

const WINDOWS_SCRIPT = /\.(?:ps1|bat|cmd)$/i;
/** Options that say that the text is encoded: `-e`, `-enc`, `-EncodedCommand`. */
const ENCODED = /^-e(?:c|nc\w*)?$/i;

/**
 * `pwsh -c …`, `cmd /c …`: the words, the script that they name, and the input. One that names a release is
 * opaque, all others are taken for harmless.
 */
export const runWindowsShell: Handler = (argv, frame) => {
  const rest = argv.slice(1);
  const scripts = rest.filter((it) => WINDOWS_SCRIPT.test(it));
  const files = scripts.flatMap((it) => fileTexts(it, frame) ?? []);
  const given = files.length > 0 ? files : [rest.join(' ')];
  const isEncoded = rest.some((it) => ENCODED.test(it));
  for (const text of [...given, ...frame.stdin()]) {
    if (reportUnknown(text, frame)) continue;
    // What it would do to lanehold's own files is just as unknown.
    if (!(isEncoded || hasReleaseWord(text) || /lanehold/i.test(text))) continue;
    frame.reader.opaque(`programs of \`${argv[0]}\` are not read`, argv, frame, 'may-release');
  }
};
