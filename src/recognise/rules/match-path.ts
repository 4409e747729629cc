/** Finds a subcommand among the words of a command, and the grammar of a tool and its rule. */
import {
  type Grammar,
  grammarOf,
  isOption,
  joined,
  readOption,
  type UsedOption,
  words,
} from '../../text/options.ts';
import { isKnown, isWhollyUnknown, UNKNOWN_WORDS } from '../shell/unknown.ts';
import type { Rule, Tool } from './rule.ts';

/** The options of a tool, and of a rule's subcommand. */
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

export type PathMatch =
  | { readonly found: 'yes'; readonly next: number; readonly options: readonly UsedOption[] }
  /** The word in the place of the subcommand is unknown. */
  | { readonly found: 'perhaps' }
  | { readonly found: 'no' };

/**
 * Finds the words of a subcommand, with options between them. An unknown option is read with and
 * without a value; each position is visited once, so the time is proportional to the number of
 * words.
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

/** With more options before it, the subcommand counts as unknown. */
const MOST_OPTIONS = 500;

/** True if a word is one of the spellings in a rule: `pr|mr`. */
export function isSpelled(word: string, spellings: string | undefined): boolean {
  if (spellings === undefined || spellings === word) return true;
  return spellings.includes('|') && spellings.split('|').includes(word);
}

/** An unquoted unknown before a known subcommand is taken for options: `git $flags status`. */
function isPerhaps(argv: readonly string[], at: number, subcommands: string | undefined): boolean {
  const next = argv[at + 1];
  if (argv[at] !== UNKNOWN_WORDS || next === undefined || isOption(next) || !isKnown(next))
    return true;
  return subcommands !== undefined && !words(subcommands).has(next);
}
