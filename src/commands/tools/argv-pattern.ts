/** Patterns over the words of a command: a literal word, `*` for any one, a last `**` for the rest. */
import type { Word } from '../../base/text/options.ts';

/** An unknown word may stand for any number of words, so only `**` matches it. */
export function matchesWords(pattern: readonly string[], argv: readonly Word[]): boolean {
  const open = pattern.at(-1) === '**';
  const fixed = open ? pattern.slice(0, -1) : pattern;
  if (open ? argv.length < fixed.length : argv.length !== fixed.length) return false;
  return fixed.every((wanted, at) => matchesWord(wanted, argv[at], at));
}

function matchesWord(wanted: string, word: Word, at: number): boolean {
  if (word === undefined) return false;
  if (wanted === '*' || wanted === word) return true;
  // The pattern `make` also matches `/usr/bin/make`; a pattern with a folder matches only that
  // program.
  return at === 0 && word.slice(word.lastIndexOf('/') + 1) === wanted;
}
