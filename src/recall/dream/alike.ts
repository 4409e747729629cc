/** Whether two sentences say the same, or the opposite, by their words: no model. */
import { wordsOf } from '../words.ts';

export type Likeness = 'same' | 'opposite' | 'different';

/** The least share of common words of two sentences that say the same. */
const SAME = 0.7;
const SAME_MATTER = 0.6;
const FEWEST_WORDS = 3;

export function likeness(one: string, other: string): Likeness {
  const [a, b] = [matterOf(one), matterOf(other)];
  const shared = [...a.words].filter((it) => b.words.has(it)).length;
  const all = new Set([...a.words, ...b.words]).size;
  if (Math.min(a.words.size, b.words.size) < FEWEST_WORDS) {
    return one.trim().toLowerCase() === other.trim().toLowerCase() ? 'same' : 'different';
  }
  const share = shared / all;
  const sameValues =
    [...a.values].every((it) => b.values.has(it)) && a.values.size === b.values.size;
  if (share >= SAME && a.denies === b.denies && sameValues) return 'same';
  if (share < SAME_MATTER) return 'different';
  const otherValue = a.values.size > 0 && b.values.size > 0 && !sameValues;
  return a.denies !== b.denies || otherValue ? 'opposite' : 'different';
}

/** The words of a sentence, its numbers (what a limit or a version is), and whether it denies. */
function matterOf(text: string) {
  const plain = text.replaceAll(/[\u2019']t\b/gi, 't');
  const words = wordsOf(plain).filter((it) => it.length > 1 && !STOP.has(it));
  const values = plain.match(/\b\d[\d.]*\b/g) ?? [];
  const isValue = /^\d+$/;
  return {
    words: new Set(words.filter((it) => !isValue.test(it))),
    values: new Set(values.map((it) => it.replace(/\.$/, ''))),
    denies: DENIES.test(plain),
  };
}

const DENIES = /\b(?:not|never|no|dont|doesnt|isnt|cannot|cant|avoid|without|nicht|nie|kein\w*)\b/i;
/** Words that say nothing of the matter, as `wordsOf` writes them. */
const STOP = new Set(
  wordsOf(
    'the a an and or of to in on at for with by from is are was were be been it its this that these those there here we you i they our your my not never no dont do does doesnt isnt cannot cant must should has have had will would can may always only please careful note gotcha caution beware nicht nie so as if then than when',
  ),
);
