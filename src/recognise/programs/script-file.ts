/** Script files: those of the project, and those that the command writes before it runs them. */
import { basename } from 'node:path';
import { type Frame, inside, insideFile, type Output } from '../reader.ts';
import { fileTexts } from '../shell/redirect.ts';
import { isFromNetwork, isKnown, isWhollyUnknown, UNKNOWN } from '../shell/unknown.ts';

/** Reads a file as a shell script, or by the program its first line names. */
export function runScriptFile(
  name: string,
  args: readonly string[],
  frame: Frame,
): Output | undefined {
  const [text] = fileTexts(name, frame) ?? [];
  if (text === undefined) return undefined;
  const interpreter = interpreterOf(text) ?? interpreterByName(name);
  if (interpreter && !isShell(interpreter[0] ?? '')) {
    return frame.reader.command([...interpreter, name, ...args], {
      ...frame,
      state: frame.state.copy(),
    });
  }
  return runShellFile(name, args, frame);
}

/** Reads a file as a program of a shell that was named: `bash x.sh`. */
export function runShellFile(
  name: string,
  args: readonly string[],
  frame: Frame,
): Output | undefined {
  if (isWhollyUnknown(name)) {
    const why = 'which script runs cannot be read from the command';
    frame.reader.opaque(why, [name, ...args], frame);
    return [UNKNOWN];
  }
  return withFile(name, frame, (text, within) => {
    const state = within.state.copy();
    state.parameters = [args];
    return frame.reader.script(text, { ...within, state });
  });
}

/** `source x` and `. x`: in the shell's own state. */
export function sourceFile(argv: readonly string[], frame: Frame): Output {
  const [, name, ...args] = argv;
  if (name === undefined) return [''];
  if (isWhollyUnknown(name)) {
    frame.reader.opaque('which script is sourced cannot be read from the command', argv, frame);
    return [UNKNOWN];
  }
  const output = withFile(name, frame, (text, within) => {
    const outer = within.state.parameters;
    if (args.length > 0) within.state.parameters = [args];
    const printed = frame.reader.script(text, within);
    within.state.parameters = outer;
    within.state.ended = false;
    return printed;
  });
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
  const end = text.indexOf('\n');
  const line = text.slice(2, end < 0 ? text.length : end).trim();
  const words = line.split(/\s+/).filter(isKnown);
  const program = basename(words[0] ?? '');
  if (program !== 'env') return [program, ...words.slice(1)];
  return words.slice(1).filter((word) => word !== '-S');
}

const INTERPRETERS: Readonly<Record<string, string>> = {
  py: 'python3',
  js: 'node',
  mjs: 'node',
  cjs: 'node',
  ts: 'node',
  mts: 'node',
  rb: 'ruby',
  pl: 'perl',
  php: 'php',
};

/** The program that runs a file without a `#!` line, by the ending of its name. */
export function interpreterByName(name: string): readonly string[] | undefined {
  const ending = name.slice(name.lastIndexOf('.') + 1);
  const program = Object.hasOwn(INTERPRETERS, ending) ? INTERPRETERS[ending] : undefined;
  return program !== undefined && name.includes('.') ? [program] : undefined;
}

function isShell(program: string): boolean {
  return ['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'mksh'].includes(program);
}
