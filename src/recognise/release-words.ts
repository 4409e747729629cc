import { RELEASE_WORDS } from '../text/release-words.ts';

const WORDS: ReadonlySet<string> = new Set([...RELEASE_WORDS, 'ship']);

/** True if a whole word of the text is one of those that make the undecidable worth a question. */
export function hasReleaseWord(text: string): boolean {
  const limit = text.length;
  let start = -1;
  for (let at = 0; at <= limit; at += 1) {
    const code = at < limit ? text.charCodeAt(at) | 0x20 : 0;
    const letter = code >= 97 && code <= 122;
    if (letter && start < 0) start = at;
    else if (!letter && start >= 0) {
      if (at - start <= 8 && WORDS.has(text.slice(start, at).toLowerCase())) return true;
      start = -1;
    }
  }
  return false;
}
