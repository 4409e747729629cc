/**
 * The possible values of a variable, each a list of elements. A plain variable is a list of one
 * element; an array has any number.
 */
import { LIMITS } from '../limits.ts';
import { UNKNOWN, UNKNOWN_WORDS } from './unknown.ts';

export type Value = readonly (readonly string[])[];

export const UNKNOWN_VALUE: Value = [[UNKNOWN]];
export const UNKNOWN_ARRAY: Value = [[UNKNOWN_WORDS]];

export function plain(texts: readonly string[]): Value {
  return limited(texts.map((text) => [text]));
}

/** Either of two values: what holds after a branch that may have been taken. */
export function either(a: Value, b: Value): Value {
  if (a === b) return a;
  return limited([...a, ...b]);
}

function limited(lists: Value): Value {
  if (lists.length === 1) {
    const only = lists[0]?.[0];
    return only !== undefined && only.length > LIMITS.valueLength ? UNKNOWN_VALUE : lists;
  }
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

/** Each text of one list followed by each of the other. */
export function concatenated(
  heads: readonly string[],
  tails: readonly string[],
): readonly string[] {
  if (tails.length === 1 && tails[0] === '') return heads;
  if (heads.length === 1 && heads[0] === '') return tails;
  const whole: string[] = [];
  for (const head of heads) for (const tail of tails) whole.push(head + tail);
  return distinct(whole);
}
