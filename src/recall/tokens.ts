/** Estimates the number of tokens of a text without a tokenizer, from its characters. */

/** A word, a number, signs, or ends of lines, in a text of ASCII characters. */
const ASCII_RUN = /(?<word>[A-Za-z]+)|(?<digits>\d+)|(?<signs>[^\sA-Za-z\d]+)|\n+/g;

/**
 * The same for any text, with scripts grouped by their density. The pattern is made on demand: compiling it takes a
 * hook longer than using it.
 */
const runsFor = (text: string): RegExp =>
  Buffer.byteLength(text) === text.length
    ? ASCII_RUN
    : /(?<word>[A-Za-z]+)|(?<digits>\p{N}+)|(?<han>\p{sc=Han}+)|(?<syllables>[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\u30fc]+)|(?<letters>[\p{L}\p{M}]+)|(?<signs>[^\s\p{L}\p{M}\p{N}]+)|\n+/gu;

/** An estimate within 15 % of the count of o200k, for prose, paths and recalled lines. */
export function tokensOf(text: string): number {
  let tokens = 0;
  for (const { 0: run, groups } of text.matchAll(runsFor(text))) {
    const { word, digits, han, syllables, letters, signs } = groups ?? {};
    const { length } = run;
    if (word !== undefined) tokens += Math.max(1, length / 5.5);
    else if (digits !== undefined) tokens += Math.ceil(length / 3);
    else if (han !== undefined) tokens += length * 0.75;
    else if (syllables !== undefined) tokens += length * 0.7;
    else if (letters !== undefined) tokens += length / 3.2;
    else if (signs !== undefined) tokens += length * 0.65;
    else tokens += 0.3;
  }
  return Math.ceil(tokens);
}
