/**
 * `sh`, `bash` and other shells: `-c` text, a script on their input, or a script file, of the
 * project or written by the command itself.
 */

import { basename } from 'node:path';
import { words } from '../../base/text/options.ts';
import { byName } from '../by-name.ts';
import { type Frame, type Handler, inside, insideFile, type Output } from '../reader.ts';
import { fileTexts } from '../shell/redirect.ts';
import { ShellState } from '../shell/shell-state.ts';
import { isFromNetwork, isKnown, isWhollyUnknown, UNKNOWN } from '../shell/unknown.ts';
import { runWrapped } from './wrapped.ts';

interface ShellCall {
  readonly text?: string;
  readonly file?: string;
  readonly args: readonly string[];
  /** `-n`: the syntax is checked, nothing runs. */
  readonly checksOnly: boolean;
}

export const runShell: Handler = (argv, frame) => {
  const call = readCall(argv);
  if (call.checksOnly) return [''];
  const name = argv[0] ?? 'sh';
  const state = frame.state.forProcess();
  if (call.text !== undefined) {
    state.parameters = [call.args.slice(1)];
    state.variables.set('0', [[call.args[0] ?? name]]);
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
  return runTexts(frame.stdin(), name, state, frame);
};

/** Texts of the program's input, as shell programs. */
function runTexts(texts: Output, name: string, state: ShellState, frame: Frame): Output {
  const within = inside(frame, `input of ${name}`, { state, stdin: () => [''] });
  return texts.flatMap((text) => frame.reader.script(text, within));
}

const LONG_WITH_VALUE = new Set(['--rcfile', '--init-file']);

function readCall(argv: readonly string[]): ShellCall {
  const { flags, operands } = readFlags(argv);
  const [first, ...rest] = operands;
  const checksOnly = flags.includes('n');
  if (flags.includes('c')) return { text: first ?? '', args: rest, checksOnly };
  if (flags.includes('s') || first === undefined) return { args: operands, checksOnly };
  return { file: first, args: rest, checksOnly };
}

/** The letters of the shell's switches, and the words after them. */
function readFlags(argv: readonly string[]): { flags: string; operands: readonly string[] } {
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

/** `crontab file`: each line is a time and a command. */
export const runCrontab: Handler = (argv, frame) => {
  if (argv.some((it) => /^-[lre]/.test(it))) return undefined;
  const [file = '-'] = argv.slice(1).filter((it) => it === '-' || !it.startsWith('-'));
  const texts = file === '-' ? frame.stdin() : (fileTexts(file, frame) ?? []);
  const within = inside(frame, 'crontab', { state: frame.state.forProcess(), stdin: () => [''] });
  for (const text of texts) {
    // What was in the table before is unknown.
    const known = text.replace(/^[\uE000-\uE002]+/gm, '');
    for (const [, command = ''] of known.matchAll(
      /^[ \t]*(?:@\w+|(?:[\d*,/A-Za-z-]+\s+){5})\s*(.+)$/gm,
    )) {
      frame.reader.script(command, within);
    }
  }
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

/** Reads a file as a shell script, or by the program its first line names. */
export function runScriptFile(
  name: string,
  args: readonly string[],
  frame: Frame,
): Output | undefined {
  const [text] = fileTexts(name, frame) ?? [];
  if (text === undefined) return undefined;
  const interpreter = interpreterOf(text) ?? interpreterByName(name);
  if (interpreter && !SHELLS.has(interpreter[0] ?? '')) {
    const within = { ...frame, state: frame.state.copy() };
    return frame.reader.command([...interpreter, name, ...args], within);
  }
  return runShellFile(name, args, frame);
}

/** Reads a file as a program of a shell that was named: `bash x.sh`. */
function runShellFile(name: string, args: readonly string[], frame: Frame): Output | undefined {
  if (isWhollyUnknown(name)) {
    const why = 'which script runs cannot be read from the command';
    frame.reader.opaque(why, [name, ...args], frame);
    return [UNKNOWN];
  }
  return withFile(name, frame, (text, within) => {
    const state = within.state.forProcess();
    state.parameters = [args];
    return frame.reader.script(text, { ...within, state });
  });
}

/** `source x` and `. x`: in the shell's own state. */
export function sourceFile(argv: readonly string[], frame: Frame): Output {
  const [, name, ...args] = argv;
  if (name === undefined) return [''];
  if (isWhollyUnknown(name)) {
    frame.state.hasUnknownVariables = true;
    frame.reader.opaque('which script is sourced cannot be read from the command', argv, frame);
    return [UNKNOWN];
  }
  const output = withFile(name, frame, (text, within) => {
    const { state } = within;
    const { parameters, mayReturn } = state;
    if (args.length > 0) state.parameters = [args];
    state.mayReturn = true;
    const printed = frame.reader.script(text, within);
    state.parameters = parameters;
    state.mayReturn = mayReturn;
    if (state.ended === 'return') state.ended = undefined;
    return printed;
  });
  if (output === undefined) frame.state.hasUnknownVariables = true;
  return output ?? [UNKNOWN];
}

/**
 * Passes on each text that a file may contain. A file that cannot be read is ignored, unless its
 * text came over the network.
 */
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

/** Written by the command itself: its text is part of the command. */
function isWrittenByCommand(name: string, frame: Frame): boolean {
  if (name.startsWith('/dev/')) return true;
  return frame.state.directories.some((directory) => {
    const path = name.startsWith('/') ? name : `${directory}/${name.replace(/^\.\//, '')}`;
    return frame.reader.written(path) !== undefined;
  });
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
