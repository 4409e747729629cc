/** What the schemas of `lanehold.json` and `config.json` are made of. */
import * as z from 'zod/mini';

/** What a refused value is told, as the end of a sentence that its place in the file begins. */
export interface Rule {
  readonly fact: string;
  readonly hint: string;
}

export const NUL: Rule = { fact: 'contains a NUL character', hint: 'remove `\\u0000`' };
const NO_NUL = /^[^\0]*$/;

/** The first rule that a value breaks is the one its author reads. */
export const must = (pattern: RegExp, { fact }: Rule) =>
  z.regex(pattern, { error: fact, abort: true });

export const mustHaveNoNul = must(NO_NUL, NUL);
