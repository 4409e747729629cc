/** Builtins of the shell that change its state or run text. Their output is known where it may be run later. */
import { normalize } from 'node:path';
import { words } from '../../base/text/options.ts';
import { byName } from '../by-name.ts';
import { noteSwitches } from '../guard/layers.ts';
import { sourceFile } from '../programs/shells.ts';
import { type Argv, type Frame, type Handler, inside, type Output } from '../reader.ts';
import { within } from '../tools/match-rules.ts';
import { lookUp, runSubscripts } from './parameter.ts';
import { printed, printfTexts } from './print.ts';
import { type Directory, union } from './shell-state.ts';
import {
  distinct,
  isKnown,
  isWhollyUnknown,
  limited,
  plain,
  UNKNOWN,
  UNKNOWN_ARRAY,
  UNKNOWN_VALUE,
  UNKNOWN_WORDS,
  unquoted,
  type Value,
} from './unknown.ts';
import { splitAt } from './words.ts';

/** Builtins whose words are names of variables, or numbers. */
const COMPUTES = words(
  '[ test read unset let declare typeset local readonly export mapfile readarray',
);

export function runBuiltin(name: string, argv: Argv, frame: Frame): Output | undefined {
  const builtin = BUILTINS.get(name);
  if (builtin && COMPUTES.has(name)) runSubscripts(argv, frame);
  return builtin && (builtin(argv, frame) ?? ['']);
}

/** The handler of each builtin; one that returns nothing prints nothing. */
const BUILTINS = byName<Handler>({
  'cd chdir': cd,
  pushd,
  popd,
  pwd: (_argv, frame) => distinct(frame.state.directories.map((it) => `${it ?? UNKNOWN}\n`)),
  echo: (argv) => [printed(argv)],
  printf: (argv, frame) => {
    if (argv[1] !== '-v' || argv[2] === undefined) return [printfTexts(argv)];
    runSubscripts([argv[2]], frame);
    frame.state.variables.set(argv[2], plain([printfTexts(argv.slice(2))]));
  },
  eval: (argv, frame) => {
    const text = argv.slice(argv[1] === '--' ? 2 : 1).join(' ');
    if (text !== '') return frame.reader.script(text, inside(frame, 'eval'));
  },
  'source .': sourceFile,
  exec: (argv, frame) => {
    const command = afterOptions(argv, '-a');
    if (command.length === 0) return undefined;
    const output = frame.reader.command(command, inside(frame, 'exec'));
    frame.state.ended = 'exit';
    return output;
  },
  command: (argv, frame) => {
    if (argv.slice(1).some((it) => /^-[vV]+$/.test(it))) return [`${argv.at(-1) ?? ''}\n`];
    return runWithoutFunctions(afterOptions(argv), 'command', frame);
  },
  builtin: (argv, frame) => runWithoutFunctions(afterOptions(argv), 'builtin', frame),
  trap: (argv, frame) => {
    const [program] = afterOptions(argv);
    if (!program || /^(\d+|[A-Z]+)$/.test(program)) return;
    // The trap runs later, with the functions, variables and commits that are made until then.
    frame.reader.later(() => {
      frame.reader.script(program, inside(frame, 'trap', { state: frame.state.copy() }));
    });
  },
  alias: (argv, frame) => {
    for (const word of argv.slice(1)) {
      const equals = word.indexOf('=');
      if (equals > 0) frame.state.aliases.set(word.slice(0, equals), word.slice(equals + 1));
    }
  },
  'export declare typeset readonly local': declare,
  unset: (argv, frame) => {
    for (const name of argv.slice(1)) {
      if (argv.includes('-n')) frame.state.references.delete(name);
      else unset(name, frame);
      if (argv.includes('-f')) frame.state.functions.delete(name);
    }
  },
  set: (argv, frame) => {
    const dashes = argv.indexOf('--');
    const given = dashes > 0 ? argv.slice(dashes + 1) : plainWords(argv.slice(1));
    if (dashes > 0 || given.length > 0) frame.state.parameters = [given];
  },
  shift: (argv, frame) => {
    const count = argv[1] === undefined ? 1 : Number(argv[1]);
    frame.state.parameters = frame.state.parameters.map((list) =>
      Number.isInteger(count) && !list.slice(0, count).includes(UNKNOWN_WORDS)
        ? list.slice(count)
        : [UNKNOWN_WORDS],
    );
  },
  read: readLine,
  'mapfile readarray': (argv, frame) => {
    const [name = 'MAPFILE'] = afterOptions(argv, '-d -n -O -s -u -C -c');
    const lists = frame.stdin().map((text) => linesOf(text, argv));
    frame.state.variables.set(name, limited(lists));
  },
  getopts: (argv, frame) => {
    if (argv[2] !== undefined) frame.state.variables.set(argv[2], UNKNOWN_VALUE);
    frame.state.variables.set('OPTARG', UNKNOWN_VALUE);
  },
  exit: (_argv, { state }) => {
    state.ended = 'exit';
  },
  return: (_argv, { state }) => {
    if (state.mayReturn) state.ended = 'return';
  },
  'break continue': (_argv, { state }) => {
    if (state.inLoop) state.ended = 'loop';
  },
  type: () => [UNKNOWN],
  ': true false test [ let wait shopt umask help jobs bg fg ulimit bind complete hash unalias':
    () => undefined,
});

/** Unsets a variable. Of an array only the name is followed: after `unset name[0]` the rest is unknown. */
function unset(name: string, { state }: Frame): void {
  const [array = name, index] = name.split('[');
  state.variables.set(state.nameOf(array), index === undefined ? [[]] : UNKNOWN_ARRAY);
}

function plainWords(list: readonly string[]): readonly string[] {
  const from = list.findIndex((it) => !/^[-+]/.test(it));
  if (from < 0) return [];
  // `set -o pipefail` names an option, not a parameter.
  return /^[-+]\w*o$/.test(list[from - 1] ?? '')
    ? plainWords(list.slice(from + 1))
    : list.slice(from);
}

function runWithoutFunctions(argv: Argv, label: string, frame: Frame): Output {
  const [name] = argv;
  if (name === undefined) return [''];
  const own = frame.state.functions.get(name);
  const alias = frame.state.aliases.get(name);
  frame.state.functions.delete(name);
  frame.state.aliases.delete(name);
  const output = frame.reader.command(argv, inside(frame, label));
  if (own) frame.state.functions.set(name, own);
  if (alias !== undefined) frame.state.aliases.set(name, alias);
  return output;
}

function declare(argv: Argv, frame: Frame): undefined {
  const refers = argv.some((it) => /^-\w*n/.test(it));
  for (const word of argv.slice(1)) {
    const equals = word.indexOf('=');
    const name = word.slice(0, equals);
    if (refers && equals > 0) {
      const target = word.slice(equals + 1);
      frame.state.variables.delete(name);
      if (target !== name) frame.state.references.set(name, target);
      continue;
    }
    // Words that the parser reads as assignments have been assigned before.
    const text = word.slice(equals + 1);
    const made = frame.state.variables.get(name)?.some((list) => list.join(' ') === text);
    if (equals > 0 && isKnown(name) && !made) frame.state.variables.set(name, [[text]]);
  }
  if (argv[0] === 'export' || argv.some((it) => /^-\w*x/.test(it))) noteSwitches(argv, frame);
}

function cd(argv: Argv, frame: Frame): undefined {
  const { state } = frame;
  const [target] = afterOptions(argv);
  const before = state.directories;
  const to = target ?? lookUp('HOME', frame)[0]?.[0] ?? UNKNOWN;
  state.directories = target === '-' ? state.previous : moved(before, to);
  state.previous = before;
}

function moved(from: readonly Directory[], to: string): readonly Directory[] {
  return to === ''
    ? from
    : union(
        from.map((it) => within(it, normalize(to))),
        [],
      );
}

function pushd(argv: Argv, frame: Frame): undefined {
  const { state } = frame;
  const target = argv.slice(1).find((it) => !it.startsWith('-'));
  const before = state.directories;
  const swaps = target === undefined || /^\+\d+$/.test(target);
  state.directories = swaps ? (state.stack.pop() ?? [undefined]) : moved(before, target);
  state.stack.push(before);
  state.previous = before;
}

function popd(_argv: readonly string[], frame: Frame): undefined {
  const { state } = frame;
  state.previous = state.directories;
  state.directories = state.stack.pop() ?? [undefined];
}

function afterOptions(argv: Argv, values = ''): readonly string[] {
  let at = 1;
  while (at < argv.length) {
    const word = argv[at] ?? '';
    if (word === '--') return argv.slice(at + 1);
    if (!word.startsWith('-') || word === '-') break;
    at += words(values).has(word) ? 2 : 1;
  }
  return argv.slice(at);
}

/** `read x` takes one line of its input; in a loop it may be any line. */
function readLine(argv: Argv, frame: Frame): undefined {
  const names = afterOptions(argv, '-d -i -n -N -p -t -u');
  const lines = frame.stdin().flatMap((text) => linesOf(text, argv));
  const ifs = lookUp('IFS', frame)[0]?.[0] ?? ' \t\n';
  const isBlank = /^\s*$/.test(ifs);
  const rows = lines.map((line) => splitAt(line.trim(), ifs).filter((it) => it !== '' || !isBlank));
  const { variables } = frame.state;
  const [first = 'REPLY'] = names;
  if (argv.some((it) => /^-r?a$/.test(it))) {
    variables.set(first, rows.length > 0 ? limited(rows) : UNKNOWN_ARRAY);
  } else if (names.length <= 1) {
    variables.set(first, possible(lines));
  } else {
    for (const [at, name] of names.entries()) {
      const rest = at === names.length - 1;
      const texts = rows.map((row) => (rest ? row.slice(at).join(' ') : (row[at] ?? '')));
      variables.set(name, possible(texts));
    }
  }
}

/** The lines of an input; those that end with another character may stand in one. */
function linesOf(text: string, argv: Argv): readonly string[] {
  const lines = text.split(argv.includes('-d') ? /[\n\0]/ : '\n').filter((it) => it !== '');
  return lines.map((it) => (isWhollyUnknown(it) ? unquoted(it) : it));
}

function possible(texts: readonly string[]): Value {
  return texts.length > 0 ? plain(texts) : UNKNOWN_VALUE;
}
