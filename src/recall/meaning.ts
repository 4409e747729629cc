/**
 * Ranks what is near to a question by its meaning, as the vectors of a model tell, beside what has its words.
 *
 * Pure.
 */
import type { ItemMatch } from './search.ts';

/** What a model is given of a text: the models that are made for a sentence read no more. */
const MOST_CHARS = 1_000;
/** The most results that are found by their meaning alone. */
export const NEAREST = 50;
/** Texts that have nothing to do with each other are less near (cosine of their vectors). */
const LEAST_NEAR = 0.2;
/** Measured on conversations, see `bench/recall.ts`: how much a rank by meaning counts beside one by words. */
const BY_MEANING = 0.75;
const FIRST_RANKS = 5;

/** The text of an item or turn, as the model gets it. */
export const textFor = (title: string, body: string): string =>
  `${title}\n${body}`.replaceAll(/\s+/g, ' ').trim().slice(0, MOST_CHARS);

/** A vector in a quarter of its size: the direction stays nearly the same. */
export function packed(vector: Float64Array): Buffer {
  const most = Math.max(...vector.map(Math.abs)) || 1;
  return Buffer.from(Int8Array.from(vector, (it) => Math.round((it / most) * 127)).buffer);
}

/** The ids of the vectors that point most in the same direction, the nearest first. */
export function nearestOf<Id>(
  question: Buffer,
  all: Iterable<{ readonly id: Id; readonly vector: Buffer }>,
): Id[] {
  const asked = signed(question);
  return Array.from(all, ({ id, vector }) => ({ id, near: cosine(asked, signed(vector)) }))
    .filter(({ near }) => near >= LEAST_NEAR)
    .sort((a, b) => b.near - a.near)
    .map(({ id }) => id);
}

const signed = ({ buffer, byteOffset, length }: Buffer) =>
  new Int8Array(buffer, byteOffset, length);

function cosine(a: Int8Array, b: Int8Array): number {
  let [product, ofA, ofB] = [0, 0, 0];
  for (let at = 0; at < a.length; at += 1) {
    const [one = 0, other = 0] = [a[at], b[at]];
    product += one * other;
    ofA += one * one;
    ofB += other * other;
  }
  return product / (Math.sqrt(ofA * ofB) || 1);
}

/** Both rankings as one: what is high in either comes first, and what is high in both before that. */
export function withMeaning(
  byWords: readonly ItemMatch[],
  near: readonly ItemMatch[],
): readonly ItemMatch[] {
  if (near.length === 0) return byWords;
  const scores = new Map<string, number>();
  const found = new Map<string, ItemMatch>();
  const add = (all: readonly ItemMatch[], weight: number) => {
    for (const [rank, it] of all.entries()) {
      const { uid } = it.item;
      scores.set(uid, (scores.get(uid) ?? 0) + weight / (FIRST_RANKS + rank));
      found.set(uid, found.get(uid) ?? it);
    }
  };
  add(byWords, 1);
  add(near, BY_MEANING);
  const best = 1 / FIRST_RANKS;
  return [...found.values()]
    .map((it) => ({ ...it, score: (scores.get(it.item.uid) ?? 0) / best }))
    .sort((a, b) => b.score - a.score);
}
