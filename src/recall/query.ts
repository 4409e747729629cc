/** Turns a prompt into search terms. */
import { COMMON_WORDS } from '../base/text/common-words.ts';
import { formOf, wordsOf } from './words.ts';

const COMMON = new Set(COMMON_WORDS.trim().split(/\s+/));

/** More words make a query slow and no better: the first ones and the rare ones are kept. */
export const MOST_TERMS = 20;
const LONGEST_PROMPT = 20_000;
const LONGEST_BLOCK = 600;

export interface Query {
  /** The user's own words. */
  readonly text: string;
  /** Stems, in the order of the prompt, without duplicates. */
  readonly terms: readonly string[];
  /** Pairs of neighbours in the prompt. */
  readonly pairs: ReadonlySet<string>;
  /** The parts of it that look like paths. */
  readonly paths: readonly string[];
  /** True if the prompt names something: a path, an identifier, a flag, a proper name. */
  readonly named: boolean;
  readonly isQuestion: boolean;
  /** True if the prompt is about tests: they are then not ranked below other files. */
  readonly asksForTests: boolean;
}

/** @param keeps whether a stem is searched for; by default if it tells something. */
export function queryOf(prompt: string, keeps: (word: string) => boolean = isTelling): Query {
  const text = relevantText(prompt);
  const words = wordsOf(text).filter(keeps);
  return {
    text,
    terms: [...new Set(words)],
    pairs: new Set(words.slice(1).map((word, at) => `${words[at]} ${word}`)),
    paths: text.match(PATH) ?? [],
    named: NAMED.test(text),
    isQuestion: QUESTION.test(text),
    asksForTests: /\b(?:tests?|specs?|fixtures?)\b/i.test(text),
  };
}

/** The words of a text that tell something, each by what all its forms have in common. */
export function formsIn(text: string): ReadonlySet<string> {
  const stems = wordsOf(text);
  return new Set(wordsOf(text, formOf).filter((_, at) => isTelling(stems[at] ?? '')));
}

/** Single letters and small numbers tell nothing. Words of two letters do: `nl`, `ls` and `ui` are names of files. */
const isTelling = (word: string): boolean =>
  !COMMON.has(word) && !/^(?:[a-z0-9]|\p{N}{2})$/u.test(word);

/** A text that ends as a question. */
export const QUESTION = /[?\uff1f]\s*$/;

const PATH = /[\w@.-]+(?:\/[\w@.-]+)+|\b[\w-]+\.[a-z]{1,4}\b/g;

/** `src/a.ts`, `useFoo`, `use_foo`, `--flag`, `HTTP`, `v1.2`, `#12`, `x()`. */
const NAMED =
  /[\w-]+\/[\w./-]+|\b\w+\.[a-z]{1,4}\b|\b[a-z]+[A-Z]\w*|\b[A-Z][a-z]+[A-Z]\w*|\b\w+_\w+|(?:^|\s)--?[a-z][\w-]+|\b[A-Z]{2,}\b|\bv?\d+\.\d+|#\d+|\b\d{3,}\b|`[^`]+`|\w\(\)/;

/** The user's own words: no hidden parts or tags of programs, and little of a pasted log. */
export function relevantText(prompt: string): string {
  return prompt
    .slice(0, LONGEST_PROMPT)
    .replaceAll(/<private>[\s\S]*?(?:<\/private>|$)/gi, ' ')
    .replaceAll(/<(system-reminder|lanehold[\w-]*)\b[\s\S]*?(?:<\/\1>|$)/gi, ' ')
    .replaceAll(/https?:\/\/\S+/g, ' ')
    .replaceAll(
      /```[^\n]*\n([\s\S]*?)(?:```|$)/g,
      (_, block: string) => ` ${tellingLines(block)} `,
    );
}

/** The lines of a pasted block that name an error or a place, else its beginning. */
function tellingLines(block: string): string {
  if (block.length <= LONGEST_BLOCK) return block;
  const lines = block
    .split('\n')
    .filter((it) => /error|fail|exception|panic|[\w/]+\.\w+:\d+/i.test(it));
  return (lines.length === 0 ? block : lines.join('\n')).slice(0, LONGEST_BLOCK);
}
