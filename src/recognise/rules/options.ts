/**
 * Takes the words of a command apart by the option grammar of its tool. Where it is not known
 * whether an option takes a value, both readings are tried.
 */

import { isKnown, isWhollyUnknown, MANY } from '../shell/unknown.ts';
import type { Rule, Tool, Use, UsedOption } from './rule.ts';

export interface Grammar {
  readonly style: 'gnu' | 'word';
  readonly values: ReadonlySet<string>;
  readonly flags: ReadonlySet<string>;
  readonly abbreviates: boolean;
}

const cache = new Map<string, ReadonlySet<string>>();

/** The words of a list, split once. */
export function words(list: string | undefined): ReadonlySet<string> {
  if (!list) return NONE;
  let set = cache.get(list);
  if (!set) {
    set = new Set(list.split(' '));
    cache.set(list, set);
  }
  return set;
}

const NONE: ReadonlySet<string> = new Set();

export function grammarOf(
  tool: Partial<Tool>,
  rule?: Pick<Rule, 'values' | 'flags' | 'dry'>,
): Grammar {
  const values = [tool.values, tool.directory, tool.directoryOfFile, rule?.values];
  const flags = [tool.flags, rule?.flags, rule?.dry, tool.help ?? '-h --help'];
  return {
    style: tool.style ?? 'gnu',
    values: words(values.filter(Boolean).join(' ')),
    flags: words(flags.filter(Boolean).join(' ')),
    abbreviates: tool.abbreviates ?? false,
  };
}

export interface OptionRead {
  readonly options: readonly UsedOption[];
  readonly next: number;
  /** The grammar does not know the option, and the next word could be its value. */
  readonly ambiguous: boolean;
}

export function isOption(word: string): boolean {
  return word.length > 1 && word.startsWith('-');
}

/** Reads the option at `at`; a value in the next word belongs to it if the grammar says so. */
export function readOption(argv: readonly string[], at: number, grammar: Grammar): OptionRead {
  const word = argv[at] ?? '';
  if (word.startsWith('--') || grammar.style === 'word') return readLong(argv, at, grammar);
  if (grammar.values.has(word)) return withNext(word, argv, at);
  return readCluster(argv, at, grammar);
}

function readLong(argv: readonly string[], at: number, grammar: Grammar): OptionRead {
  const word = argv[at] ?? '';
  const equals = word.indexOf('=');
  if (equals > 0) {
    const name = fullName(word.slice(0, equals), grammar);
    return { options: [{ name, value: word.slice(equals + 1) }], next: at + 1, ambiguous: false };
  }
  const name = fullName(word, grammar);
  if (grammar.values.has(name)) return withNext(name, argv, at);
  return {
    options: [{ name, value: undefined }],
    next: at + 1,
    ambiguous: !isFlag(name, grammar) && mayBeValue(argv[at + 1]),
  };
}

function isFlag(name: string, grammar: Grammar): boolean {
  if (grammar.flags.has(name)) return true;
  return name.startsWith('--no-') && grammar.flags.has(`--${name.slice('--no-'.length)}`);
}

/** Expands `--dry` to `--dry-run` where the tool would and only one option fits. */
function fullName(name: string, grammar: Grammar): string {
  if (!(grammar.abbreviates && name.startsWith('--')) || name.length < 4) return name;
  if (grammar.values.has(name) || isFlag(name, grammar)) return name;
  const negated = name.startsWith('--no-');
  const stem = negated ? `--${name.slice('--no-'.length)}` : name;
  const fits = [...grammar.values, ...grammar.flags].filter((it) => it.startsWith(stem));
  if (fits.length !== 1) return name;
  return negated ? `--no-${fits[0]?.slice(2)}` : (fits[0] ?? name);
}

function withNext(name: string, argv: readonly string[], at: number): OptionRead {
  return { options: [{ name, value: argv[at + 1] }], next: at + 2, ambiguous: false };
}

/** `-un` is `-u -n`; in `-on`, `n` is the value of `-o`. */
function readCluster(argv: readonly string[], at: number, grammar: Grammar): OptionRead {
  const word = argv[at] ?? '';
  if (grammar.flags.has(word)) {
    return { options: [{ name: word, value: undefined }], next: at + 1, ambiguous: false };
  }
  const options: UsedOption[] = [];
  for (let index = 1; index < Math.min(word.length, 40); index += 1) {
    const name = `-${word[index]}`;
    const rest = word.slice(index + 1);
    if (grammar.values.has(name)) {
      options.push({ name, value: rest === '' ? argv[at + 1] : rest.replace(/^=/, '') });
      return { options, next: rest === '' ? at + 2 : at + 1, ambiguous: false };
    }
    if (rest.startsWith('=')) {
      return {
        options: [...options, { name, value: rest.slice(1) }],
        next: at + 1,
        ambiguous: false,
      };
    }
    options.push({ name, value: undefined });
  }
  const last = options.at(-1)?.name ?? word;
  const ambiguous = !grammar.flags.has(last) && mayBeValue(argv[at + 1]);
  return { options, next: at + 1, ambiguous };
}

function mayBeValue(word: string | undefined): boolean {
  return word !== undefined && !isOption(word);
}

/** Takes apart the words from `from` on: options anywhere, until `--`. */
export function readUse(
  argv: readonly string[],
  from: number,
  grammar: Grammar,
  before: readonly UsedOption[],
): Use {
  const options = [...before];
  const operands: string[] = [];
  let at = from;
  while (at < argv.length) {
    const word = argv[at] ?? '';
    if (word === '--') {
      operands.push(...argv.slice(at + 1));
      break;
    }
    if (isOption(word) && !isWhollyUnknown(word)) {
      const read = readOption(argv, at, grammar);
      options.push(...read.options);
      at = read.next;
    } else {
      operands.push(word);
      at += 1;
    }
  }
  return useOf(options, operands, argv);
}

function useOf(
  options: readonly UsedOption[],
  operands: readonly string[],
  argv: readonly string[],
): Use {
  const values = (...names: readonly string[]): readonly string[] =>
    options.flatMap(({ name, value }) =>
      names.includes(name) && value !== undefined ? [value] : [],
    );
  return {
    options,
    operands,
    argv,
    values,
    value: (...names) => values(...names).at(-1),
    has: (...names) => options.some(({ name }) => names.includes(name)),
  };
}

export type PathMatch =
  | { readonly found: 'yes'; readonly next: number; readonly options: readonly UsedOption[] }
  /** A word that only running the command would tell stands where the subcommand would. */
  | { readonly found: 'perhaps' }
  | { readonly found: 'no' };

/**
 * Finds the words of a subcommand with options between them. An option of unknown arity is read
 * both ways; each place is visited once, so the time is proportional to the words.
 */
export function matchPath(
  argv: readonly string[],
  from: number,
  path: readonly string[],
  grammar: Grammar,
  subcommands: string | undefined,
): PathMatch {
  const visited = new Set<number>();
  let perhaps = false;

  const visit = (
    at: number,
    matched: number,
    options: readonly UsedOption[],
  ): PathMatch | undefined => {
    if (matched === path.length) return { found: 'yes', next: at, options };
    const key = at * 8 + matched;
    perhaps ||= options.length > MOST_OPTIONS;
    if (at >= argv.length || visited.has(key) || options.length > MOST_OPTIONS) return undefined;
    visited.add(key);
    const word = argv[at] ?? '';
    if (isWhollyUnknown(word)) {
      perhaps ||= isPerhaps(argv, at, subcommands);
      return visit(at + 1, matched, options);
    }
    if (isOption(word)) return visitOption(at, matched, options);
    perhaps ||= !isKnown(word);
    return isSpelled(word, path[matched]) ? visit(at + 1, matched + 1, options) : undefined;
  };

  const visitOption = (
    at: number,
    matched: number,
    options: readonly UsedOption[],
  ): PathMatch | undefined => {
    const read = readOption(argv, at, grammar);
    const all = [...options, ...read.options];
    const match = visit(read.next, matched, all);
    return match ?? (read.ambiguous ? visit(read.next + 1, matched, all) : undefined);
  };

  return visit(from, 0, []) ?? { found: perhaps ? 'perhaps' : 'no' };
}

/** More options before a subcommand than these are not followed: the subcommand is then unknown. */
const MOST_OPTIONS = 500;

/** A word against its spellings in a rule: `pr|mr`. */
export function isSpelled(word: string, spellings: string | undefined): boolean {
  if (spellings === undefined || spellings === word) return true;
  return spellings.includes('|') && spellings.split('|').includes(word);
}

/** An unquoted unknown before a subcommand is taken for options: `git $flags status`. */
function isPerhaps(argv: readonly string[], at: number, subcommands: string | undefined): boolean {
  const next = argv[at + 1];
  if (argv[at] !== MANY || next === undefined || isOption(next) || !isKnown(next)) return true;
  return subcommands !== undefined && !words(subcommands).has(next);
}
