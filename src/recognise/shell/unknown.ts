/**
 * Text that only running the command would tell, as characters inside a known text: so a script
 * such as `cd "$dir" && git push` can be parsed and walked although `$dir` is not known.
 *
 * The characters are from Unicode's private use area. One that stands in the command itself reads
 * as unknown, which errs on the safe side.
 */
import { shellWord } from '../../text/shell-quote.ts';

/** An unknown stretch inside one word: `"$x"`. */
export const ONE = '\uE000';
/** An unknown stretch that the shell splits: no word, one or many. */
export const MANY = '\uE001';
/** An unknown stretch that came over the network. */
export const NETWORK = '\uE002';

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
  return text.includes(NETWORK);
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

/** The text as it behaves unquoted: an unknown stretch may be any number of words. */
export function unquoted(text: string): string {
  return text.includes(ONE) ? text.replaceAll(ONE, MANY) : text;
}

/** The text as it behaves inside quotes or an assignment: an unknown stretch stays in its word. */
export function quoted(text: string): string {
  return text.includes(MANY) ? text.replaceAll(MANY, ONE) : text;
}

/** A word as shell text that reads back as the same word: for texts that are only read again. */
export function wordText(word: string): string {
  return word === MANY ? word : shellWord(word);
}
