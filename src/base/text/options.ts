/** Takes a command's words apart by the options of its program. Lists are words between blanks: `-m --message`. */

/** A word of a command: its text, or `undefined` if only running it would tell. */
export type Word = string | undefined;

export interface OptionList {
  /** Options that take a value: `--x=value`, in the next word, or attached to a single letter. */
  readonly values?: string;
  readonly flags?: string;
  /** Letters whose value can only be attached: `-S`, `-Skey`. */
  readonly attached?: string;
}

export interface Grammar {
  /** `gnu`: `-abc` are three options; `word`: one dash before a whole name, as in Go and Java. */
  readonly style: 'gnu' | 'word';
  readonly values: ReadonlySet<string>;
  readonly flags: ReadonlySet<string>;
  readonly attached: ReadonlySet<string>;
  /** Long options may be shortened to a unique prefix. */
  readonly abbreviates: boolean;
}

export interface UsedOption<W extends Word = string> {
  /** The name in full, with its dashes. */
  readonly name: string;
  readonly value: W | undefined;
  /** The letter is one of several of which the grammar does not know all: the program may read them as a value. */
  readonly isGuess?: true;
}

/** A use of a program, taken apart by its option grammar. */
export interface Use<W extends Word = string> {
  readonly options: readonly UsedOption<W>[];
  /** Words that are no options, those after `--` included. */
  readonly operands: readonly W[];
  /** The words after `--`, if there is one. */
  readonly afterDashes: readonly W[] | undefined;
  readonly argv: readonly W[];
  readonly has: (...names: readonly string[]) => boolean;
  /** The last value of an option, under any of its names. */
  readonly value: (...names: readonly string[]) => W | undefined;
  readonly values: (...names: readonly string[]) => readonly W[];
}

const cache = new Map<string, ReadonlySet<string>>();
const NONE: ReadonlySet<string> = new Set();

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

export interface ProgramOptions extends OptionList {
  readonly style?: 'gnu' | 'word';
  readonly abbreviates?: true;
  /** Options that print help instead; by default `-h --help`. */
  readonly help?: string;
}

export function grammarOf(list: ProgramOptions): Grammar {
  return {
    style: list.style ?? 'gnu',
    values: words(list.values),
    flags: words(joined(list.flags, list.help ?? '-h --help')),
    attached: words(list.attached),
    abbreviates: list.abbreviates ?? false,
  };
}

export function joined(...lists: readonly (string | undefined)[]): string {
  return lists.filter(Boolean).join(' ');
}

export function isOption(word: Word): word is string {
  return word !== undefined && word.length > 1 && word.startsWith('-');
}

export function isNamed(name: string, { values, flags, attached }: Grammar): boolean {
  if (values.has(name) || flags.has(name) || attached.has(name)) return true;
  return name.startsWith('--no-') && flags.has(`--${name.slice('--no-'.length)}`);
}

interface OptionRead<W extends Word = Word> {
  readonly options: readonly UsedOption<W>[];
  readonly next: number;
  /** The grammar does not know the option, and the next word could be its value. */
  readonly ambiguous: boolean;
}

/** Reads the option at `at`; a value in the next word belongs to it if the grammar says so. */
export function readOption<W extends Word>(
  argv: readonly W[],
  at: number,
  grammar: Grammar,
): OptionRead<W> {
  const word = argv[at] ?? '';
  const isLong = word.startsWith('--') || grammar.style === 'word';
  const read = isLong || grammar.values.has(word) ? readLong : readCluster;
  // Values are words of `argv`, or parts of them.
  return read(argv, at, grammar) as OptionRead<W>;
}

function readLong(argv: readonly Word[], at: number, grammar: Grammar): OptionRead {
  const word = argv[at] ?? '';
  const equals = word.indexOf('=');
  const isWhole = equals > 0;
  const name = fullName(isWhole ? word.slice(0, equals) : word, grammar);
  const takesNext = !isWhole && grammar.values.has(name);
  const value = isWhole ? word.slice(equals + 1) : takesNext ? argv[at + 1] : undefined;
  const ambiguous = !isWhole && !isNamed(name, grammar) && mayBeValue(argv[at + 1]);
  return { options: [{ name, value }], next: takesNext ? at + 2 : at + 1, ambiguous };
}

/** Expands `--dry` to `--dry-run` if the program would, and only one option fits. */
function fullName(name: string, grammar: Grammar): string {
  if (!(grammar.abbreviates && name.startsWith('--')) || name.length < 3) return name;
  if (isNamed(name, grammar)) return name;
  const negated = name.startsWith('--no-');
  const stem = negated ? `--${name.slice('--no-'.length)}` : name;
  const fits = [...grammar.values, ...grammar.flags].filter((it) => it.startsWith(stem));
  if (fits.length !== 1) return name;
  return negated ? `--no-${fits[0]?.slice(2)}` : (fits[0] ?? name);
}

/** Longer words after one dash are not letters of options. */
const MOST_LETTERS = 40;

/** Switches that mean the same nearly everywhere. */
const COMMON = words('-v -q');

/** Reads letters after one dash: `-un` is `-u -n`; in `-on`, `n` is the value of `-o`. */
function readCluster(argv: readonly Word[], at: number, grammar: Grammar): OptionRead {
  const word = argv[at] ?? '';
  const read = (...options: UsedOption<Word>[]) => ({
    options: marked(options, grammar),
    next: at + 1,
    ambiguous: false,
  });
  if (grammar.flags.has(word)) return read({ name: word, value: undefined });
  const options: UsedOption<Word>[] = [];
  for (let index = 1; index < Math.min(word.length, MOST_LETTERS); index += 1) {
    const name = `-${word[index]}`;
    const rest = word.slice(index + 1);
    if (grammar.values.has(name) && rest === '') {
      return { ...read(...options, { name, value: argv[at + 1] }), next: at + 2 };
    }
    if (grammar.values.has(name)) return read(...options, { name, value: rest.replace(/^=/, '') });
    if (grammar.attached.has(name)) return read(...options, { name, value: rest || undefined });
    if (rest.startsWith('=')) return read(...options, { name, value: rest.slice(1) });
    options.push({ name, value: undefined });
  }
  const last = options.at(-1)?.name ?? word;
  const ambiguous = !grammar.flags.has(last) && mayBeValue(argv[at + 1]);
  return { ...read(...options), ambiguous };
}

function marked(options: readonly UsedOption<Word>[], grammar: Grammar): UsedOption<Word>[] {
  const isGuess = options.some(({ name }) => !(isNamed(name, grammar) || COMMON.has(name)));
  return options.map((it) => (isGuess && options.length > 1 ? { ...it, isGuess } : it));
}

const mayBeValue = (word: Word): boolean => word !== undefined && !isOption(word);

/** Reads options up to the first word that is none, or `--`. */
export function leadingOptions<W extends Word>(
  argv: readonly W[],
  from: number,
  grammar: Grammar,
): { readonly options: readonly UsedOption<W>[]; readonly next: number } {
  const options: UsedOption<W>[] = [];
  let next = from;
  while (isOption(argv[next]) && argv[next] !== '--') {
    const read = readOption(argv, next, grammar);
    options.push(...read.options);
    next = read.next;
  }
  return { options, next };
}

/** Reads the words from `from` on: options anywhere, until `--`. */
export function readUse<W extends Word>(
  argv: readonly W[],
  from: number,
  grammar: Grammar,
  before: readonly UsedOption<W>[] = [],
): Use<W> {
  const options = [...before];
  const operands: W[] = [];
  let afterDashes: readonly W[] | undefined;
  let at = from;
  while (at < argv.length) {
    const word = argv[at] as W;
    if (word === '--') {
      afterDashes = argv.slice(at + 1);
      operands.push(...afterDashes);
      break;
    }
    const leading = leadingOptions(argv, at, grammar);
    options.push(...leading.options);
    if (leading.next === at) operands.push(word);
    at = Math.max(leading.next, at + 1);
  }
  return useOf(options, operands, afterDashes, argv);
}

export function useOf<W extends Word>(
  options: readonly UsedOption<W>[],
  operands: readonly W[] = [],
  afterDashes: readonly W[] | undefined = undefined,
  argv: readonly W[] = operands,
): Use<W> {
  const values = (...names: readonly string[]): readonly W[] =>
    options.flatMap(({ name, value }) =>
      names.includes(name) && value !== undefined ? [value] : [],
    );
  return {
    options,
    operands,
    afterDashes,
    argv,
    values,
    value: (...names) => values(...names).at(-1),
    has: (...names) => options.some(({ name }) => names.includes(name)),
  };
}
