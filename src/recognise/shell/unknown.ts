/**
 * Placeholders for text that is unknown before the command runs. With them a script such as `cd
 * "$dir" && git push` can be parsed and walked although `$dir` is unknown.
 *
 * They are characters of Unicode's private use area. One that is in the command itself counts as
 * unknown, which is safe.
 */
import { shellWord } from '../../text/shell-quote.ts';

/** Unknown text inside one word: `"$x"`. */
export const UNKNOWN = '\uE000';
/** Unknown text that the shell splits into any number of words: `$x`. */
export const UNKNOWN_WORDS = '\uE001';
/** Unknown text that came over the network. */
export const FROM_NETWORK = '\uE002';

const FIRST = 0xe000;
const LAST = 0xe002;

export function isKnown(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= FIRST && code <= LAST) return false;
  }
  return true;
}

export function isFromNetwork(text: string): boolean {
  return text.includes(FROM_NETWORK);
}

/** Nothing of the text is known. */
export function isWhollyUnknown(text: string): boolean {
  if (text === '') return false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < FIRST || code > LAST) return false;
  }
  return true;
}

/** The text outside quotes, where unknown text may be any number of words. */
export function unquoted(text: string): string {
  return text.includes(UNKNOWN) ? text.replaceAll(UNKNOWN, UNKNOWN_WORDS) : text;
}

/** The text inside quotes or an assignment, where unknown text stays in its word. */
export function quoted(text: string): string {
  return text.includes(UNKNOWN_WORDS) ? text.replaceAll(UNKNOWN_WORDS, UNKNOWN) : text;
}

/** A word as shell text that reads back as the same word: for texts that are only read again. */
export function wordText(word: string): string {
  return word === UNKNOWN_WORDS ? word : shellWord(word);
}
