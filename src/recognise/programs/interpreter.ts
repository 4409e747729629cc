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
import { type Frame, type Handler, inside, reportUnknown } from '../reader.ts';
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
  const { texts, module, file, rest, label } = readCall(argv, language);
  if (module !== undefined) {
    return frame.reader.command([packageProgram(module), ...rest], inside(frame, `${name} -m`));
  }
  if (texts.length > 0) {
    for (const text of texts) runProgram(text, language, inside(frame, `${name} ${label}`));
    return undefined;
  }
  if (argv.includes('--version')) return [''];
  if (file !== undefined && file !== '-') {
    const second = inside(frame, name, { secondReading: true });
    frame.reader.command([nameOfFile(file), ...rest], second);
    withFile(file, frame, (text, within) => {
      if (text.length <= LONGEST_FILE) runProgram(text, language, within);
      return [''];
    });
    return undefined;
  }
  const input = inside(frame, `input of ${name}`);
  for (const text of frame.stdin()) runProgram(text, language, input);
};

/** The name under which rules know a program that is started through its interpreter. */
function nameOfFile(file: string): string {
  const base = file.slice(file.lastIndexOf('/') + 1);
  return file.includes('node_modules/') ? base.replace(/\.[cm]?js$/, '') : base;
}

/** Programs given as words (`-c`, `-e`), else a module or a file, with the words that it is given. */
function readCall(argv: readonly string[], language: Language) {
  const subcommand = argv[1] ?? '';
  if (words(language.evaluates).has(subcommand)) {
    return { texts: argv.slice(2, 3), rest: [], label: subcommand };
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
  if (module !== undefined) return { texts, module, rest: argv.slice(at), label: moduleOption };
  const [first, ...rest] = argv.slice(argv[at] === '--' ? at + 1 : at);
  return { texts, file: first, rest, label: 'program' };
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
  if (typeof started === 'string') frame.reader.script(started, inside(frame, 'shell text'));
  else if ('unknownCall' in started) {
    const why = `what \`${started.unknownCall}\` starts cannot be read from the command`;
    frame.reader.opaque(why, [], frame);
  } else frame.reader.command(started, frame);
}
