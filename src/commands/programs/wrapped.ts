/** Programs that run another command: removes their own words by the table in `wrappers.ts`, and reads the rest. */
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
import { LIMITS } from '../limits.ts';
import { type Argv, type Frame, inside, type Output } from '../reader.ts';
import { ShellState } from '../shell/shell-state.ts';
import { isWhollyUnknown, UNKNOWN_WORDS } from '../shell/unknown.ts';
import { directoriesOf, matchPath, pathOf, toolGrammar } from '../tools/match-rules.ts';
import { WRAPPERS, type Wrapper } from './wrappers.ts';

/** Switches that mean the same nearly everywhere. */
const FLAGS =
  '-i -t -it -ti -a -f -r -q -y -n -k -x -A -E -H -N -S --rm --yes --quiet --interactive --tty --no-deps';

let wrappers: ReadonlyMap<string, readonly Wrapper[]> | undefined;

export function runWrapped(name: string, argv: Argv, frame: Frame): Output | undefined {
  wrappers ??= rowsByName(WRAPPERS);
  for (const wrapper of wrappers.get(name) ?? []) {
    const output = runOne(name, wrapper, argv, frame);
    if (output) return output;
  }
  return undefined;
}

function runOne(name: string, wrapper: Wrapper, argv: Argv, frame: Frame): Output | undefined {
  const { script = '' } = wrapper;
  const grammar = toolGrammar(
    { ...wrapper, flags: joined(FLAGS, wrapper.flags), help: '--help --version' },
    { values: script },
  );
  const match = matchPath(argv, pathOf(wrapper), grammar);
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

const escaped = (text: string, { after }: Wrapper): readonly string[] =>
  after ? text.split(after).slice(1) : [text];

/** The module that is named before any word of a command, and the words that it is given. */
function moduleOf(
  { module, values }: Wrapper,
  argv: Argv,
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
  rest: Argv,
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
    // The words after the image are arguments of that program.
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

/** `docker run image words`: a command, or arguments of the image's program, which often has the image's name. */
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
  readonly argv: Argv;
  readonly grammar: Grammar;
  /** An option names the program; the words after the operands are its arguments, options too. */
  readonly hasProgram: boolean;
}

/** The places where the wrapped command may start; the first takes unknown options as switches. */
function startsOf(use: WrappedUse, from: number): readonly number[] {
  const { argv, wrapper } = use;
  const { operands = 0, afterDashes } = wrapper;
  const dashes = afterDashes ? argv.indexOf('--', from) : -1;
  const starts = new Set(dashes < 0 ? [] : [dashes + 1]);
  const visited = new Set<string>();
  const pending: Place[] = afterDashes === 'always' ? [] : [[from, operands]];
  for (let it = pending.pop(); it && starts.size < LIMITS.alternatives; it = pending.pop()) {
    const [at, left] = it;
    if (left < 0) starts.add(at);
    else if (at < argv.length && !visited.has(String(it))) pending.push(...after(use, at, left));
    visited.add(String(it));
  }
  return [...starts].filter((it) => it < argv.length);
}

/** A position, and the number of operands that come before the command; negative where the command starts. */
type Place = readonly [at: number, left: number];

/** The places that may come next, the likeliest last. */
function after({ wrapper, argv, grammar, hasProgram }: WrappedUse, at: number, left: number) {
  const word = argv[at];
  const next = (to: number, more: number): Place => [to, more];
  if (word === '--') return [next(at + 1, left === 0 ? -1 : left)];
  if (isOption(word)) {
    const read = readOption(argv, at, grammar);
    return [...(read.ambiguous ? [next(read.next + 1, left)] : []), next(read.next, left)];
  }
  if (left === 0 || (wrapper.assignments && isAssignment(word))) return [next(at, -1)];
  if (hasProgram && left === 1) return [next(at + 1, -1)];
  // Options, or the operand itself: `ssh $options host`, `timeout $limit git push`.
  return [...(word === UNKNOWN_WORDS ? [next(at + 1, left)] : []), next(at + 1, left - 1)];
}

const PROGRAMS = byName({
  'lerna-lite @lerna-lite/cli': 'lerna',
  'firebase-tools': 'firebase',
  'aws-cdk': 'cdk',
  'netlify-cli': 'netlify',
  'vercel-cli': 'vercel',
  '@sentry/cli': 'sentry-cli',
  'eas-cli': 'eas',
  '@salesforce/cli': 'sf',
  '@angular/cli': 'ng',
  '@auto-it/cli': 'auto',
  '@yarnpkg/cli-dist': 'yarn',
  'awscli aws-cli': 'aws',
  'semantic_release python-semantic-release': 'semantic-release',
});

/** The program of `@scope/name@version`, `name==1.2`, `github.com/x/name/v2@latest`. */
export function packageProgram(spec: string): string {
  const name = spec
    .replace(/(?<!^)(?:@|==|\[).*$/s, '')
    // `nixpkgs#gh` names a program of a flake.
    .replace(/^[^#]+#/, '')
    .replace(/^(?:npm|jsr):/, '');
  // The program of `@railway/cli` is `railway`.
  const [, scope] = /^@([^/]+)\/cli$/.exec(name) ?? [];
  const parts = name.split('/').filter((it) => !/^v\d+$/.test(it));
  return PROGRAMS.get(name) ?? scope ?? parts.at(-1) ?? name;
}

export function runPackage(argv: Argv, frame: Frame): Output {
  const [spec, ...words] = argv;
  const rest = words[0] === '--' ? words.slice(1) : words;
  if (spec === undefined) return [''];
  if (isWhollyUnknown(spec)) return frame.reader.command(argv, frame);
  return frame.reader.command([packageProgram(spec), ...rest], frame);
}
