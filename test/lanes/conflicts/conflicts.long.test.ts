/** Every second case that has an answer, and all that have none; `npm run bench:conflicts` runs all. */
import { expect, test } from 'vitest';
import { CASES } from './cases.ts';
import { outcomesOf, whyNotTried } from './measure.ts';

const SLOW = 600_000;
const tried = CASES.filter(({ language }) => whyNotTried(language) === undefined);
const answered = tried.filter(({ hidden }) => hidden !== 'none');
const nameOf = ({ language, kind, name }: (typeof CASES)[number]) => `${language} ${kind}: ${name}`;

test(
  'most conflicts that have an answer are resolved, and none wrongly',
  async () => {
    const outcomes = await outcomesOf(answered.filter((_, at) => at % 2 === 0));
    const wrong = outcomes.filter(({ kind }) => kind === 'wrong');
    expect(wrong.map((it) => nameOf(it.case))).toEqual([]);
    const left = outcomes.filter(({ kind }) => kind === 'left');
    expect(left.length, left.map((it) => nameOf(it.case)).join('\n')).toBeLessThan(
      outcomes.length / 5,
    );
  },
  SLOW,
);

test(
  'what only a person can decide is left to one',
  async () => {
    const outcomes = await outcomesOf(tried.filter(({ hidden }) => hidden === 'none'));
    const accepted = outcomes.filter(({ kind }) => kind !== 'left');
    expect(accepted.map((it) => `${nameOf(it.case)} (${it.way})`)).toEqual([]);
  },
  SLOW,
);
