/**
 * Placeholders for text that is unknown before the command runs, and values that contain them. With
 * placeholders a script such as `cd "$dir" && git push` can be parsed and walked although `$dir` is
 * unknown.
 *
 * They are characters of Unicode's private use area. One that is in the command itself counts as
 * unknown, which is safe.
 */
import { shellWord } from '../../base/text/shell-quote.ts';
import { LIMITS } from '../limits.ts';

/** Unknown text inside one word: `"$x"`. */
export const UNKNOWN = '\uE000';
/** Unknown text that the shell splits into any number of words: `$x`. */
export const UNKNOWN_WORDS = '\uE001';
export const FROM_NETWORK = '\uE002';

export function isKnown(text: string): boolean {
  return !/[\uE000-\uE002]/.test(text);
}

export function isFromNetwork(text: string): boolean {
  return text.includes(FROM_NETWORK);
}

export function isWhollyUnknown(text: string): boolean {
  return /^[\uE000-\uE002]+$/.test(text);
}

/** The text outside quotes, where unknown text may be any number of words. */
export function unquoted(text: string): string {
  return text.replaceAll(UNKNOWN, UNKNOWN_WORDS);
}

/** The text inside quotes or an assignment, where unknown text stays in its word. */
export function quoted(text: string): string {
  return text.replaceAll(UNKNOWN_WORDS, UNKNOWN);
}

/** A word as shell text that is read back as the same word. */
export function wordText(word: string): string {
  return word === UNKNOWN_WORDS ? word : shellWord(word);
}

export type Value = readonly (readonly string[])[];

export const UNKNOWN_VALUE: Value = [[UNKNOWN]];
export const UNKNOWN_ARRAY: Value = [[UNKNOWN_WORDS]];

export function plain(texts: readonly string[]): Value {
  return distinct(texts).map((text) => [text]);
}

/** Both values of a branch that may or may not have been taken. */
export function either(a: Value, b: Value): Value {
  return a === b ? a : limited([...a, ...b]);
}

/** Distinct lists, up to the limit; beyond it, an unknown one is added. */
export function limited(lists: Value): Value {
  const seen = new Map<string, readonly string[]>();
  for (const list of lists) {
    if (seen.size >= LIMITS.alternatives) return [...seen.values(), [UNKNOWN]];
    seen.set(list.join('\0'), list);
  }
  return [...seen.values()];
}

/** Distinct texts, up to the limit; beyond it, unknown text is added. */
export function distinct(texts: Iterable<string>): readonly string[] {
  const seen = new Set<string>();
  for (const text of texts) {
    if (seen.size >= LIMITS.alternatives) {
      seen.add(UNKNOWN);
      break;
    }
    seen.add(text.length > LIMITS.valueLength ? UNKNOWN : text);
  }
  return [...seen];
}

export function concatenated(
  heads: readonly string[],
  tails: readonly string[],
): readonly string[] {
  if (tails.length === 1 && tails[0] === '') return heads;
  if (heads.length === 1 && heads[0] === '') return tails;
  return distinct(heads.flatMap((head) => tails.map((tail) => head + tail)));
}
