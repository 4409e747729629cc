/** Matches a command against the rules: a tool, a subcommand that releases, no option that makes it a dry run. */

import { basename, dirname, resolve } from 'node:path';
import type { ReleaseContent } from '../../base/config/policy.ts';
import {
  type Grammar,
  grammarOf,
  isNamed,
  isOption,
  joined,
  readOption,
  readUse,
  type Use,
  type UsedOption,
  words,
} from '../../base/text/options.ts';
import type { Argv, Frame } from '../reader.ts';
import { lookUp } from '../shell/parameter.ts';
import type { Directory } from '../shell/shell-state.ts';
import { isKnown, isWhollyUnknown, UNKNOWN_WORDS } from '../shell/unknown.ts';
import { matchesWords } from './argv-pattern.ts';
import { goesToLocal, isLocalAddress } from './local.ts';
import type { Match, Rule, Tool } from './rule.ts';

/** The content that leaves at each kind of boundary, if no rule says otherwise. */
export const CONTENT_OF_KIND = {
  push: 'refs',
  'pull-request': 'head',
  publish: 'worktree',
  'image-push': 'worktree',
  deploy: 'worktree',
  release: 'worktree',
} as const satisfies Record<Rule['kind'], ReleaseContent>;

/**
 * Reports the boundary that one use of a tool crosses.
 *
 * @returns true if the rules decide the command: it releases, or is a form that they know to be harmless.
 */
export function matchTool(tool: Tool, argv: Argv, frame: Frame): boolean {
  let perhaps: Perhaps | undefined;
  let isDecided = false;
  // Before the subcommand only the options of the tool are valid, not those of the subcommand.
  const before = toolGrammar(tool);
  for (const rule of rulesNamed(tool, argv)) {
    const match = matchPath(argv, pathOf(rule), before, tool.subcommands);
    if (match.found === 'perhaps') perhaps = perhaps?.fits ? perhaps : match;
    if (match.found !== 'yes') continue;
    const { options: globals } = match;
    const grammar = toolGrammar(tool, rule);
    const uses = readings(argv, match, grammar);
    const verdicts = uses.map((use) =>
      isHelp(use, tool, grammar) ? 'harmless' : judge({ ...use, globals }, rule, frame),
    );
    const releasing = uses[verdicts.indexOf('releases')];
    if (releasing) {
      report(tool, rule, releasing, frame);
      return true;
    }
    isDecided ||= verdicts.every((it) => it === 'harmless');
  }
  if (perhaps === undefined) return isDecided;
  const why = `the subcommand of \`${basename(argv[0] ?? '')}\` cannot be read from the command`;
  frame.reader.opaque(why, argv, frame, perhaps.fits ? 'may-release' : undefined);
  return true;
}

export const pathOf = ({ path }: { readonly path?: string }): readonly string[] =>
  path ? path.split(' ') : [];

function rulesNamed({ rules }: Tool, argv: Argv): readonly Rule[] {
  if (!argv.every(isKnown)) return rules();
  return rules().filter((rule) => {
    const [first] = pathOf(rule);
    return argv.some((word) => isSpelled(word, first));
  });
}

/**
 * Two readings of a command: the word after an unknown option is an operand, or the value of the
 * option. The command releases if it does so in either.
 */
function readings(argv: Argv, { next, options }: Found, grammar: Grammar): readonly Use[] {
  const use = readUse(argv, next, grammar, options);
  const open = argv.filter((word, at) => {
    const follows = argv[at + 1];
    if (at < next || follows === undefined || isOption(follows)) return false;
    const isRead = ({ name, value }: UsedOption) => name === word && value === undefined;
    return isOption(word) && !isNamed(word, grammar) && use.options.some(isRead);
  });
  if (open.length === 0) return [use];
  const values = new Set([...grammar.values, ...open]);
  return [use, readUse(argv, next, { ...grammar, values }, options)];
}

/** `unknown`: the rule is about other words of the tool. */
type Verdict = 'releases' | 'harmless' | 'unknown';

function judge(use: Use & Match, rule: Rule, frame: Frame): Verdict {
  const isHarmless =
    isDry(use, rule) ||
    (rule.only !== undefined && !hasOption(use, rule.only)) ||
    words(rule.except).has(use.operands[0] ?? '') ||
    staysLocal(use, rule, frame);
  if (isHarmless) return 'harmless';
  if (rule.when?.(use, frame) ?? true) return 'releases';
  return rule.path === '' ? 'unknown' : 'harmless';
}

function staysLocal(use: Use, { kind }: Rule, frame: Frame): boolean {
  if (kind === 'push' || kind === 'pull-request') return false;
  const tags = use.values('-t', '--tag');
  const images = tags.length > 0 ? tags : use.operands.slice(-1);
  if (kind === 'image-push' && images.length > 0 && images.every(isLocalAddress)) return true;
  return goesToLocal(use, (name) => lookUp(name, frame)[0]?.[0]);
}

/** @param list options, with a value where only that value counts: `--no-push --push=false`. */
function hasOption(use: Use, list: string): boolean {
  return [...words(list)].some((it) => {
    const [name = '', value] = it.split('=');
    if (value !== undefined) return use.value(name) === value;
    return use.options.some((given) => given.name === name && given.value !== 'false');
  });
}

function isHelp(use: Use, tool: Tool, { values }: Grammar): boolean {
  const help = words(tool.help ?? '-h --help');
  // An option with a value is no request for help: `kamal -h host`, `hub pull-request -h fork:branch`.
  return use.options.some(({ name, isGuess }) => !isGuess && help.has(name) && !values.has(name));
}

function isDry(use: Use, rule: Rule): boolean {
  let dry = false;
  const flags = words(rule.dry);
  for (const { name, value, isGuess } of use.options) {
    if (isGuess) continue;
    // npm reads `--dry-run false` as a value, though the option is a switch.
    const isOff = value === undefined && use.argv[use.argv.lastIndexOf(name) + 1] === 'false';
    const isOn = flags.has(`${name}=${value}`);
    if (isOn || flags.has(name)) dry = isOn || (!isOff && isTrue(value ?? 'true'));
    else if (name.startsWith('--no-') && flags.has(`--${name.slice('--no-'.length)}`)) dry = false;
  }
  return dry;
}

/** An unknown value may be false, so it does not make a dry run. */
function isTrue(value: string): boolean {
  return isKnown(value) && !/^(?:|false|none|no|0|off|f|F|FALSE|False)$/.test(value);
}

function report(tool: Tool, rule: Rule, use: Use, frame: Frame): void {
  frame.reader.boundary(
    {
      kind: rule.kind,
      rule: rule.id,
      leaves: rule.leaves ?? CONTENT_OF_KIND[rule.kind],
      argv: use.argv,
      operands: use.operands,
      options: use.options.map(({ name }) => name),
      directories: directoriesOf(tool, use, frame.state.directories),
      ...gitSettings(tool, use, frame),
    },
    frame,
  );
}

/** The folders in which the tool works: the shell's, changed by the tool's own options. */
export function directoriesOf(
  tool: Pick<Tool, 'directory' | 'directoryOfFile'>,
  use: Use,
  start: readonly Directory[],
): readonly Directory[] {
  let directories = start;
  for (const { name, value } of use.options) {
    const isFile = words(tool.directoryOfFile).has(name);
    if (value === undefined || !(isFile || words(tool.directory).has(name))) continue;
    directories = directories.map((it) => within(it, isFile ? dirname(value) : value));
  }
  return directories;
}

export function within(directory: Directory, path: string): Directory {
  if (!isKnown(path) || (directory === undefined && !path.startsWith('/'))) return undefined;
  return resolve(directory ?? '/', path);
}

function gitSettings(tool: Tool, use: Use, frame: Frame) {
  if (tool.names !== 'git') return {};
  const [fromEnvironment] = lookUp('GIT_DIR', frame);
  const variable =
    frame.state.variables.has('GIT_DIR') || frame.reader.context.env.GIT_DIR !== undefined;
  const gitDir = use.value('--git-dir') ?? (variable ? fromEnvironment?.[0] : undefined);
  return { config: use.values('-c').filter(isKnown), ...(gitDir ? { gitDir } : {}) };
}

export function toolGrammar(
  tool: Partial<Tool>,
  rule?: Pick<Rule, 'values' | 'flags' | 'dry'>,
): Grammar {
  return grammarOf({
    ...tool,
    values: joined(tool.values, tool.directory, tool.directoryOfFile, rule?.values),
    flags: joined(tool.flags, rule?.flags, rule?.dry),
  });
}

interface Found {
  readonly found: 'yes';
  /** The position after the subcommand. */
  readonly next: number;
  readonly options: readonly UsedOption[];
}

/** The word in the place of the subcommand is unknown; `fits`: the words after it are those of the rule. */
interface Perhaps {
  readonly found: 'perhaps';
  readonly fits: boolean;
}

/**
 * Finds the words of a subcommand after the program, with options between them. An unknown option is read with and
 * without a value; each position is visited once, so the time is proportional to the number of
 * words.
 */
export function matchPath(
  argv: Argv,
  path: readonly string[],
  grammar: Grammar,
  subcommands?: string,
): Found | Perhaps | { readonly found: 'no' } {
  const visited = new Set<number>();
  let perhaps = false;
  let fits = false;

  type Visit = (at: number, matched: number, options: Found['options']) => Found | undefined;
  const visit: Visit = (at, matched, options) => {
    if (matched === path.length) return { found: 'yes', next: at, options };
    const key = at * 8 + matched;
    perhaps ||= options.length > MOST_OPTIONS;
    if (at >= argv.length || visited.has(key) || options.length > MOST_OPTIONS) return undefined;
    visited.add(key);
    const word = argv[at] ?? '';
    if (isWhollyUnknown(word)) {
      perhaps ||= isPerhaps(argv, at, subcommands);
      fits ||= perhaps && restFits(argv.slice(at + 1), path.slice(matched + 1));
      return visit(at + 1, matched, options);
    }
    if (isOption(word)) return visitOption(at, matched, options);
    perhaps ||= !isKnown(word);
    return isSpelled(word, path[matched]) ? visit(at + 1, matched + 1, options) : undefined;
  };

  const visitOption: Visit = (at, matched, options) => {
    const read = readOption(argv, at, grammar);
    const all = [...options, ...read.options];
    const match = visit(read.next, matched, all);
    return match ?? (read.ambiguous ? visit(read.next + 1, matched, all) : undefined);
  };

  return visit(1, 0, []) ?? (perhaps ? { found: 'perhaps', fits } : { found: 'no' });
}

/** True if no word is known, or if the rest of a rule's words follows, and an operand. */
function restFits(argv: Argv, path: readonly string[]): boolean {
  const words = argv.filter((it) => !isOption(it));
  return (
    words.length === 0 ||
    (words.length > path.length && path.every((it, at) => isSpelled(words[at] ?? '', it)))
  );
}

/** With more options before it, the subcommand counts as unknown. */
const MOST_OPTIONS = 500;

function isSpelled(word: string, spellings: string | undefined): boolean {
  if (spellings === undefined || spellings === word) return true;
  return spellings.includes('|') && spellings.split('|').includes(word);
}

/** An unquoted unknown before a known subcommand is taken for options: `git $flags status`. */
function isPerhaps(argv: Argv, at: number, subcommands: string | undefined): boolean {
  const next = argv[at + 1];
  if (argv[at] !== UNKNOWN_WORDS || next === undefined || isOption(next) || !isKnown(next))
    return true;
  return subcommands !== undefined && !words(subcommands).has(next);
}

export function matchAdded(argv: Argv, frame: Frame): void {
  const { boundaries } = frame.reader.context;
  if (boundaries === undefined) return;
  const { directories } = frame.state;
  const words = argv.map((word) => (isKnown(word) ? word : undefined));
  for (const added of new Set(directories.flatMap(boundaries))) {
    if (!matchesWords(added.argv, words)) continue;
    const { name: rule, kind, leaves = CONTENT_OF_KIND[kind] } = added;
    const operands = argv.slice(1);
    frame.reader.boundary({ kind, rule, leaves, argv, operands, directories }, frame);
  }
}
