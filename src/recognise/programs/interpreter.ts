/**
 * Interpreters: searches their program, from an option, a file or the input, for the commands it
 * starts.
 */
import {
  grammarOf,
  isOption,
  joined,
  readOption,
  type UsedOption,
  useOf,
  words,
} from '../../text/options.ts';
import { noteProgramWrites } from '../guard/guarded-writes.ts';
import { type Frame, inside, type Output, reportUnknown } from '../reader.ts';
import type { Handler } from '../shell/builtins.ts';
import { type Language, languageOf } from './languages.ts';
import { type Started, startedCommands } from './program-calls.ts';
import { tokenize } from './program-tokens.ts';
import { withFile } from './script-file.ts';
import { packageProgram } from './wrapped.ts';

/** Longer files are bundled or generated: most of what they could start does not run. */
const LONGEST_FILE = 100_000;

export const runInterpreter: Handler = (argv, frame) => {
  const name = (argv[0] ?? '').slice((argv[0] ?? '').lastIndexOf('/') + 1);
  const language = languageOf(name) ?? languageOf(name.replace(/[\d.]+$/, ''));
  if (!language) return undefined;
  const call = readCall(argv, language);
  if (call.help) return [''];
  const label = `${name} ${call.label}`;
  if (call.module !== undefined) {
    return frame.reader.command(
      [packageProgram(call.module), ...call.rest],
      inside(frame, `${name} -m`),
    );
  }
  if (call.texts.length > 0) {
    for (const text of call.texts) runProgram(text, language, inside(frame, label));
    return undefined;
  }
  if (call.file !== undefined && call.file !== '-') {
    const program = [nameOfFile(call.file), ...call.rest];
    frame.reader.command(program, { ...inside(frame, name), secondReading: true });
    withFile(call.file, frame, (text, within): Output => {
      if (text.length <= LONGEST_FILE) runProgram(text, language, within);
      return [''];
    });
    return undefined;
  }
  const input = inside(frame, `input of ${name}`);
  for (const text of frame.stdin()) runProgram(text, language, input);
  return undefined;
};

/** The name under which rules know a program that is started through its interpreter. */
function nameOfFile(file: string): string {
  const base = file.slice(file.lastIndexOf('/') + 1);
  return file.includes('node_modules/') ? base.replace(/\.[cm]?js$/, '') : base;
}

interface InterpreterCall {
  /** Programs given as words: `-c`, `-e`. */
  readonly texts: readonly string[];
  readonly module?: string | undefined;
  readonly file?: string | undefined;
  readonly rest: readonly string[];
  readonly label: string;
  readonly help: boolean;
}

function readCall(argv: readonly string[], language: Language): InterpreterCall {
  const subcommand = argv[1] ?? '';
  if (words(language.evaluates).has(subcommand)) {
    return { texts: argv.slice(2, 3), rest: [], label: subcommand, help: false };
  }
  const { code, module: moduleOption = '' } = language;
  const grammar = grammarOf({ ...language, values: joined(code, moduleOption, language.values) });
  const options: UsedOption[] = [];
  let at = words(language.runs).has(subcommand) ? 2 : 1;
  while (isOption(argv[at]) && argv[at] !== '--') {
    const read = readOption(argv, at, grammar);
    at = read.next;
    options.push(...read.options);
    // What follows a module's name is the module's own.
    if (read.options.some(({ name }) => name === moduleOption)) break;
  }
  const { values, value } = useOf(options);
  const texts = values(...words(code));
  const module = value(moduleOption);
  if (module !== undefined) {
    return { texts, module, rest: argv.slice(at), label: moduleOption, help: false };
  }
  const [first, ...rest] = argv.slice(argv[at] === '--' ? at + 1 : at);
  const help = texts.length === 0 && argv.includes('--version');
  return { texts, file: first, rest, label: 'program', help };
}

function runProgram(text: string, language: Language, frame: Frame): void {
  if (text.trim() === '') return;
  if (reportUnknown(text, frame)) return;
  const tokens = tokenize(text, language.lexis);
  noteProgramWrites(tokens, frame);
  for (const started of startedCommands(tokens, language.calls)) {
    runStarted(started, { ...frame, state: frame.state.copy() });
  }
}

function runStarted(started: Started, frame: Frame): void {
  switch (started.kind) {
    case 'text':
      frame.reader.script(started.text, inside(frame, 'shell text'));
      return;
    case 'words':
      frame.reader.command(started.words, frame);
      return;
    case 'unknown': {
      const why = `what \`${started.call}\` starts cannot be read from the command`;
      frame.reader.opaque(why, [], frame);
      return;
    }
  }
}
