/** Programs that list files of the project, or run a command for each: `ls`, `find`, `fd`, `run-parts`. */
import { basename, dirname, resolve } from 'node:path';
import { grammarOf, readUse } from '../../base/text/options.ts';
import { type Argv, type Frame, type Handler, inside, type Output } from '../reader.ts';
import { matchesGlob } from '../shell/glob.ts';
import { entriesBelow, limited } from '../shell/project-files.ts';
import { pathsOf } from '../shell/redirect.ts';
import { distinct, isKnown, UNKNOWN, wordText } from '../shell/unknown.ts';
import { isUnseen, runUnseen } from './shells.ts';

const plainWords = (argv: Argv): readonly string[] =>
  argv.slice(1).filter((it) => !it.startsWith('-'));

const lastWord: Handler = (argv) => {
  const last = argv.at(-1);
  return last === undefined || last.startsWith('-') ? undefined : [`${last}\n`];
};

export const NAME_PRINTERS: Readonly<Record<string, Handler>> = {
  basename: (argv) => {
    const [path = '', ending] = plainWords(argv);
    return [`${basename(path, ending)}\n`];
  },
  dirname: (argv) => {
    const [path = UNKNOWN] = plainWords(argv);
    return [`${isUnseen(path) ? UNKNOWN : dirname(path)}\n`];
  },
  'realpath readlink': (argv, frame) => {
    const [path = ''] = plainWords(argv);
    // The target of a link is not read, because few paths are links.
    if (argv[0] === 'readlink' && argv.length === 2) return lastWord(argv, frame);
    const paths = pathsOf(path, frame).map((it) => `${it}\n`);
    return paths.length > 0 ? distinct(paths) : undefined;
  },
  which: lastWord,
  ls: listed,
};

/** What `ls` prints, as long as it prints nothing but names. */
function listed(argv: Argv, frame: Frame): Output | undefined {
  const options = argv.filter((it) => it.startsWith('-')).join('');
  const [at] = frame.state.directories;
  if (!frame.outputIsUsed || at === undefined || /[lgosiZ]/.test(options)) return undefined;
  const names = plainWords(argv);
  const lines = (names.length > 0 ? names : ['.']).flatMap((name) => {
    const entries = isKnown(name) ? frame.reader.entries(resolve(at, name)) : [];
    const seen = entries.filter((it) => /[aA]/.test(options) || !it.startsWith('.'));
    return seen.length > 0 && !options.includes('d') ? seen : [name];
  });
  // The folder is empty, or it cannot be read.
  return lines.join() === '.' ? undefined : lineByLine(lines);
}

const lineByLine = (lines: readonly string[], end = '\n'): Output => [
  limited(lines.map((it) => it.replace(/\/$/, '')))
    .map((it) => it + end)
    .join(''),
];

const EXECUTES = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const FD_EXECUTES = new Set(['-x', '--exec', '-X', '--exec-batch']);
const PRINTS_OTHERWISE = /^-(?:f?printf|f?ls|fprint0?|quit)$/;

/** `find … -exec` and `fd -x`: a command that runs for each file found; `-delete` is `rm`. */
export const runFind: Handler = (argv, frame) => {
  const isFd = argv[0]?.includes('fd') === true;
  const runs = commandsIn(argv, isFd ? FD_EXECUTES : EXECUTES);
  if (runs.length === 0 && !frame.outputIsUsed) return undefined;
  const paths = isFd ? undefined : found(argv, frame);
  for (const run of runs) runForEach(paths ?? [UNKNOWN], run, argv[0] ?? '', frame);
  if (!paths || runs.length > 0 || argv.some((it) => PRINTS_OTHERWISE.test(it))) return undefined;
  return lineByLine(paths, argv.includes('-print0') ? '\0' : '\n');
};

interface FindCommand {
  readonly option: string;
  readonly words: Argv;
  readonly isBatch: boolean;
}

function commandsIn(argv: Argv, executes: ReadonlySet<string>): readonly FindCommand[] {
  const commands: FindCommand[] = [];
  for (const [at, option] of argv.entries()) {
    if (option === '-delete') commands.push({ option, words: ['rm', '-r', '{}'], isBatch: true });
    if (!executes.has(option)) continue;
    const end = argv.findIndex((it, index) => index > at && (it === ';' || it === '+'));
    const words = argv.slice(at + 1, end < 0 ? argv.length : end);
    const isBatch = argv[end] === '+' || /^(?:-X|--exec-batch)$/.test(option);
    // fd appends the names to a command that has no placeholder.
    if (executes === FD_EXECUTES && !words.some((it) => it.includes('{'))) words.push('{}');
    commands.push({ option, words, isBatch });
    if (end < 0) break;
  }
  return commands;
}

function runForEach(
  paths: readonly string[],
  { option, words, isBatch }: FindCommand,
  program: string,
  frame: Frame,
): void {
  const isInFolder = option.endsWith('dir');
  const [at] = frame.state.directories;
  const run = (argv: Argv, path: string): void => {
    const folder = at === undefined || !isKnown(path) ? undefined : resolve(at, dirname(path));
    const state = frame.state.copy(isInFolder ? [folder] : undefined);
    frame.reader.command(argv, inside(frame, `${program} ${option}`, { state }));
  };
  const names = paths.map((it) => (isInFolder ? `./${basename(it)}` : it));
  if (paths.length === 0) run(words, UNKNOWN);
  for (const [index, name] of names.entries()) {
    // The order of the files is not known, and a shell runs the first: each is tried in that place.
    const all = [name, ...names.filter((it) => it !== name)];
    const argv = isBatch
      ? words.flatMap((it) => (it === '{}' ? all : [it]))
      : words.map((it) => it.replaceAll('{}', name));
    run(argv, paths[index] ?? UNKNOWN);
  }
}

function found(argv: Argv, frame: Frame): readonly string[] | undefined {
  const [at] = frame.state.directories;
  const first = argv.findIndex((it, index) => index > 0 && /^(?:-(?![LHP]$)|[(!]$)/.test(it));
  const words = argv.slice(1, first < 0 ? undefined : first).filter((it) => !it.startsWith('-'));
  const starts = words.length > 0 ? words : ['.'];
  if (at === undefined || !starts.every(isKnown)) return undefined;
  const tests = first < 0 ? [] : argv.slice(first);
  const deepest = Number(tests[tests.indexOf('-maxdepth') + 1]);
  const all = starts.flatMap((start) => {
    const depth = tests.includes('-maxdepth') ? deepest : undefined;
    return [`${start}/`, ...entriesBelow(start, at, frame, depth)];
  });
  if (frame.reader.context.list === undefined && all.length === starts.length) return undefined;
  const choices = tests.join('\0').split(/\0(?:-or?|,)\0/);
  return limited(
    all.flatMap((it) => {
      const isFound = it === UNKNOWN || choices.some((choice) => passes(it, choice));
      return isFound ? [it.replace(/\/$/, '')] : [];
    }),
  );
}

/** True if an entry passes the tests of names; any other test, and a negated one, is taken to pass. */
function passes(entry: string, choice: string): boolean {
  const [tests = ''] = choice.split(/(?:^|\0)-(?:exec|ok)(?:dir)?\0/);
  const names = tests.matchAll(/(?<!(?:!|-not)\0)-i?name\0([^\0]*)/g);
  const base = basename(entry).toLowerCase();
  const isNamed = [...names].every(([, it = '']) => matchesGlob(it.toLowerCase(), base));
  return isNamed && !tests.includes('-prune');
}

/** `run-parts ci/steps`: each program in a folder. */
export const runParts: Handler = (argv, frame) => {
  const { operands, values, has } = readUse(argv, 1, PARTS);
  const [folder = '.'] = operands;
  if (has('--test', '--list')) return undefined;
  if (!isKnown(folder)) return runUnseen(argv, frame);
  const start = folder.includes('/') ? folder : `./${folder}`;
  const words = ['"$part"', ...values('-a', '--arg').map(wordText)].join(' ');
  const within = inside(frame, 'run-parts', { state: frame.state.copy() });
  return frame.reader.script(`for part in ${wordText(start)}/*; do ${words}; done`, within);
};

const PARTS = grammarOf({ values: '-a --arg -u --umask --regex' });
