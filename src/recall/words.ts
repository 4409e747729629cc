/**
 * Splits text into words, the same for the index and for a query.
 *
 * The database's tokenizer splits at everything that is no letter or digit. What it would lose is prepared here: parts
 * of compound names, word stems, scripts without spaces, pictograms.
 */
import { stemmer } from 'stemmer';

/** `word`: a run of letters, digits and `_`, or one pictogram; `part`: a part of a compound name. */
const ASCII = { word: /\w+/g, part: /[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+/g };
let others: typeof ASCII | undefined;

/** Patterns for all scripts are made on demand: a hook takes longer to compile than to use them. */
function patternsFor(text: string) {
  if (Buffer.byteLength(text) === text.length) return ASCII;
  others ??= {
    word: /[\p{L}\p{M}\p{N}_]+|\p{Extended_Pictographic}/gu,
    part: /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|\p{N}+|[\p{Lo}\p{Lm}\p{Lt}\p{M}]+/gu,
  };
  return others;
}

/** Scripts that are written without spaces. */
const unspaced = (): RegExp =>
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\u30fc]+/gu;
/** Endings of words in other Latin and in Cyrillic alphabets. */
const ENDING =
  /(?:en|er|es|em|e|n|s|[\u0430\u0435\u0438\u043e\u0443\u044b\u044e\u044f\u0439\u044c]{1,3})$/;
const ENGLISH = /^[a-z]{3,}$/;
/** A longer word is a digest or a blob, for which nobody searches. */
const LONGEST = 64;

/** The words of a text in their order, as `shape` writes them; a compound name is followed by its parts. */
export function wordsOf(text: string, shape = stem): string[] {
  const found: string[] = [];
  const normal = text.normalize('NFKC');
  for (const [word] of normal.matchAll(patternsFor(normal).word)) {
    if (word.length > LONGEST) continue;
    found.push(...splitWord(word, shape));
  }
  return found;
}

/** The same as one string for the index. */
export const indexed = (text: string): string => wordsOf(text).join(' ');

/** The words of the last part of each path occur twice, so that a file is found by its name. */
export function indexedPaths(paths: readonly string[]): string {
  return paths.map((path) => indexed(wordsIn(path))).join(' ');
}

/** A path with spaces between its words. */
const wordsIn = (path: string): string =>
  path.replaceAll(/^[\x20-\x7e]*$/.test(path) ? /\W+/g : /[^\p{L}\p{M}\p{N}_]+/gu, ' ');

function splitWord(word: string, shape: typeof stem): string[] {
  // This is true for nearly all words; the tests for other scripts take much longer.
  if (/^[a-z]+$/.test(word)) return [shape(word)];
  if (/^\w+$/.test(word)) return compound(word, shape);
  if (/^\p{Extended_Pictographic}$/u.test(word)) return [`u${word.codePointAt(0)?.toString(16)}`];
  const spaced = word.replaceAll(unspaced(), ' ');
  const pairs = [...word.matchAll(unspaced())].flatMap(([run]) => pairsOf(run));
  return [
    ...pairs,
    ...spaced
      .split(' ')
      .filter(Boolean)
      .flatMap((it) => compound(it, shape)),
  ];
}

/** `useFooBar` is found by `usefoobar`, `use_foo_bar`, and each of its parts. */
function compound(word: string, shape: typeof stem): string[] {
  const parts = word.match(patternsFor(word).part) ?? [];
  const whole = parts.join('');
  if (parts.length < 2) return whole === '' ? [] : [shape(whole)];
  return [shape(whole), ...parts.map(shape)];
}

/** 数据库 is found by 数据 and by 据库. */
function pairsOf(run: string): string[] {
  const letters = [...run];
  if (letters.length === 1) return letters;
  return letters.slice(1).map((letter, at) => `${letters[at]}${letter}`);
}

const stems = new Map<string, string>();
const MOST_STEMS = 20_000;

function stem(word: string): string {
  const lower = word.toLowerCase();
  const known = stems.get(lower);
  if (known !== undefined) return known;
  const found = stemOf(lower);
  if (stems.size < MOST_STEMS) stems.set(lower, found);
  return found;
}

/** The stem of an English word; longer words of other languages without their ending. */
function stemOf(lower: string): string {
  // `expiry` is found by `expires`.
  if (ENGLISH.test(lower)) return stemmer(lower).replace(/(?<=....)i$/, '');
  if (lower.length >= 6 && !/^[a-z]+$/.test(lower)) return lower.replace(ENDING, '');
  return lower;
}

/**
 * What all forms of a word have in common: `token` for `tokens`, `lieferzeit` for `Lieferzeiten`. A stem says less: that
 * of `tokenizer` is `token`, too.
 */
export function formOf(word: string): string {
  const lower = word.toLowerCase();
  return /^[a-z]{3,}$/.test(lower) ? withoutEnding(withoutEnding(lower)) : stem(lower);
}

/** A short word that ends like `rat` or `car`: before an ending it lost an `e`, or has one that belongs to it. */
const SHORT = /^[^aeiou]*[aeiou][^aeiouwxy]$/;

function withoutEnding(word: string): string {
  const single = word.replace(/(?:ie[sd]|y)$/, 'i').replace(/(?<=..)(?<![su])s$/, '');
  const bare = single.replace(/(?<=[aeiouy].*)(?<!e)(?:ed|ing)$/, '');
  if (bare !== single) return /([bdfgmnprt])\1$/.test(bare) ? bare.slice(0, -1) : lengthened(bare);
  const ending = /(?<=.{5})e[nm]$|(?<=...)e$/.exec(single);
  const rest = single.slice(0, ending?.index);
  return SHORT.test(rest) ? single : rest;
}

const lengthened = (word: string): string => (SHORT.test(word) ? `${word}e` : word);
