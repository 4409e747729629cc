/**
 * Programs that run another command: removes their own words by the table in `wrappers.ts`, and
 * reads the rest.
 */
import {
  type Grammar,
  grammarOf,
  isOption,
  joined,
  leadingOptions,
  readOption,
  readUse,
  words,
} from '../../base/text/options.ts';
import { byName, rowsByName } from '../by-name.ts';
import { type Frame, inside, type Output } from '../reader.ts';
import { ShellState } from '../shell/shell-state.ts';
import { isWhollyUnknown, UNKNOWN_WORDS } from '../shell/unknown.ts';
import { directoriesOf, matchPath, pathOf, toolGrammar } from '../tools/match-rules.ts';
import { WRAPPERS, type Wrapper } from './wrappers.ts';

let wrappers: ReadonlyMap<string, readonly Wrapper[]> | undefined;

/** Returns nothing if the program is no wrapper, or is not used as one. */
export function runWrapped(
  name: string,
  argv: readonly string[],
  frame: Frame,
): Output | undefined {
  wrappers ??= rowsByName(WRAPPERS);
  for (const wrapper of wrappers.get(name) ?? []) {
    const output = runOne(name, wrapper, argv, frame);
    if (output) return output;
  }
  return undefined;
}

function runOne(
  name: string,
  wrapper: Wrapper,
  argv: readonly string[],
  frame: Frame,
): Output | undefined {
  const { script = '' } = wrapper;
  const grammar = toolGrammar({ ...wrapper, help: '--help --version' }, { values: script });
  const match = matchPath(argv, 1, pathOf(wrapper), grammar);
  if (match.found !== 'yes') return undefined;
  const use = readUse(argv, match.next, grammar, match.options);
  const label = wrapper.path ? `${name} ${argv[match.next - 1] ?? ''}` : name;
  const state = wrapper.remote
    ? new ShellState([undefined])
    : frame.state.copy(directoriesOf(wrapper, use, frame.state.directories));
  const within = inside(frame, label, { state });
  const module = moduleOf(wrapper, argv, match.next);
  if (module) return frame.reader.command(['python', '-m', ...module], within);
  const texts = use.values(...words(script)).flatMap((it) => escaped(it, wrapper));
  if (texts.length > 0) return texts.flatMap((text) => frame.reader.script(text, within));
  const entrypoint = use.value('--entrypoint');
  const hasProgram = entrypoint !== undefined;
  const starts = startsOf({ wrapper, argv, grammar, hasProgram }, match.next);
  const outputs = starts.flatMap((start, at) => {
    const second = { ...within, secondReading: true, state: within.state.copy() };
    const reading = at === 0 ? within : second;
    return runRest(wrapper, argv.slice(start), { name, entrypoint }, reading);
  });
  return outputs.length > 0 ? outputs : undefined;
}

/** The parts of a text that are shell commands. */
const escaped = (text: string, { after }: Wrapper): readonly string[] =>
  after ? text.split(after).slice(1) : [text];

/** The module that is named before any word of a command, and the words that it is given. */
function moduleOf(
  { module, values }: Wrapper,
  argv: readonly string[],
  from: number,
): readonly string[] | undefined {
  if (module === undefined) return undefined;
  const grammar = grammarOf({ values: joined(values, module) });
  const { options, next } = leadingOptions(argv, from, grammar);
  const named = options.find(({ name }) => words(module).has(name))?.value;
  return named === undefined ? undefined : [named, ...argv.slice(next)];
}

function runRest(
  wrapper: Wrapper,
  rest: readonly string[],
  { name, entrypoint }: { name: string; entrypoint: string | undefined },
  frame: Frame,
): Output {
  let command = rest;
  while (wrapper.assignments && isAssignment(command[0])) {
    const [variable = '', ...text] = (command[0] ?? '').split('=');
    frame.state.variables.set(variable, [[text.join('=')]]);
    command = command.slice(1);
  }
  if (command[0] === '--') command = command.slice(1);
  if (command.length === 0) return [];
  if (entrypoint) {
    // The words after the image are that program's.
    const words = wrapper.runs === 'image' ? command.slice(1) : command;
    return frame.reader.command([entrypoint, ...words], frame);
  }
  switch (wrapper.runs ?? 'words') {
    case 'words':
      return frame.reader.command(command, frame);
    case 'text':
      return escaped(command.join(' '), wrapper).flatMap((it) => frame.reader.script(it, frame));
    case 'texts':
      return command.flatMap((text) => frame.reader.script(text, frame));
    case 'package':
      return runPackage(command, frame);
    case 'subcommand':
      return frame.reader.command([name, ...command], frame);
    case 'image':
      return runImage(command, frame);
  }
}

/**
 * `docker run image words`: the words are a command, or arguments of the image's program, which
 * often has the image's name.
 */
function runImage([image = '', ...words]: readonly string[], frame: Frame): Output {
  const name = packageProgram(image.split(':')[0] ?? '');
  const second = { ...frame, state: frame.state.copy(), secondReading: true };
  frame.reader.command([name, ...words], second);
  return words.length > 0 ? frame.reader.command(words, frame) : [''];
}

function isAssignment(word: string | undefined): boolean {
  return word !== undefined && /^[A-Za-z_]\w*=/.test(word);
}

interface WrappedUse {
  readonly wrapper: Wrapper;
  readonly argv: readonly string[];
  readonly grammar: Grammar;
  /** An option names the program, and the words after the operands are its own, options too. */
  readonly hasProgram: boolean;
}

/** The places where the wrapped command may start; the first takes unknown options as switches. */
function startsOf(use: WrappedUse, from: number): readonly number[] {
  const { wrapper, argv } = use;
  if (wrapper.afterDashes) {
    const dashes = argv.indexOf('--', from);
    if (dashes >= 0) return [dashes + 1];
    if (wrapper.afterDashes === 'always') return [];
  }
  const starts = new Set([startWith('switch', use, from), startWith('value', use, from)]);
  return [...starts].filter((it) => it < argv.length);
}

/** @param unknown how an option that the grammar does not know is read. */
function startWith(unknown: 'switch' | 'value', use: WrappedUse, from: number): number {
  const { wrapper, argv, hasProgram } = use;
  let operands = wrapper.operands ?? 0;
  let at = afterOptions(unknown, use, from);
  while (operands > 0 && at < argv.length && !(wrapper.assignments && isAssignment(argv[at]))) {
    if (hasProgram && operands === 1) return at + 1;
    // Options, or the operand itself: `ssh $options host`, `timeout $limit git push`.
    const isOptions = argv[at] === UNKNOWN_WORDS && unknown === 'value';
    if (argv[at] !== '--' && !isOptions) operands -= 1;
    at = afterOptions(unknown, use, at + 1);
  }
  return argv[at] === '--' ? at + 1 : at;
}

function afterOptions(
  unknown: 'switch' | 'value',
  { argv, grammar }: WrappedUse,
  from: number,
): number {
  let at = from;
  while (isOption(argv[at]) && argv[at] !== '--') {
    const read = readOption(argv, at, grammar);
    at = read.ambiguous && unknown === 'value' ? read.next + 1 : read.next;
  }
  return at;
}

/** Packages whose program has another name than the package. */
const PROGRAMS = byName({
  '@changesets/cli': 'changeset',
  '@release-it/cli': 'release-it',
  'lerna-lite @lerna-lite/cli': 'lerna',
  'firebase-tools': 'firebase',
  'aws-cdk': 'cdk',
  '@railway/cli': 'railway',
  'netlify-cli': 'netlify',
  'vercel-cli': 'vercel',
  '@sentry/cli': 'sentry-cli',
  '@expo/cli': 'expo',
  'eas-cli': 'eas',
  '@shopify/cli': 'shopify',
  '@salesforce/cli': 'sf',
  '@angular/cli': 'ng',
  '@auto-it/cli': 'auto',
  '@yarnpkg/cli-dist': 'yarn',
  'awscli aws-cli': 'aws',
  'semantic_release python-semantic-release': 'semantic-release',
  '@lanehold/cli': 'lanehold',
});

/** The program of `@scope/name@version`, `name==1.2`, `github.com/x/name/v2@latest`. */
export function packageProgram(spec: string): string {
  const name = spec
    .replace(/(?<!^)(?:@|==|\[).*$/s, '')
    // `nixpkgs#gh` names a program of a flake.
    .replace(/^[^#]+#/, '')
    .replace(/^(?:npm|jsr):/, '');
  const parts = name.split('/').filter((it) => !/^v\d+$/.test(it));
  return PROGRAMS.get(name) ?? parts.at(-1) ?? name;
}

export function runPackage(argv: readonly string[], frame: Frame): Output {
  const [spec, ...words] = argv;
  const rest = words[0] === '--' ? words.slice(1) : words;
  if (spec === undefined) return [''];
  if (isWhollyUnknown(spec)) return frame.reader.command(argv, frame);
  return frame.reader.command([packageProgram(spec), ...rest], frame);
}
