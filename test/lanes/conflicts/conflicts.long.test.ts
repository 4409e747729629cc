/** Cases that have an answer, those that have none, and traps; `npm run bench:conflicts` compares with git and plain union. */
import { expect, test } from 'vitest';
import { CASES } from './cases.ts';
import { outcomesOf, whyNotTried } from './measure.ts';
import { TRAPS } from './traps.ts';

const SLOW = 600_000;
const tried = CASES.filter(({ language }) => whyNotTried(language) === undefined);
const answered = tried.filter(({ hidden }) => hidden !== 'none');
const nameOf = ({ language, kind, name }: (typeof CASES)[number]) => `${language} ${kind}: ${name}`;
const wrongIn = (outcomes: Awaited<ReturnType<typeof outcomesOf>>) =>
  outcomes.filter(({ kind }) => kind === 'wrong').map((it) => `${nameOf(it.case)} (${it.way})`);

test(
  'at least half of the conflicts that have an answer are resolved, and none wrongly',
  async () => {
    const outcomes = await outcomesOf(answered);
    expect(wrongIn(outcomes)).toEqual([]);
    const left = outcomes.filter(({ kind }) => kind === 'left');
    const names = left.map((it) => nameOf(it.case)).join('\n');
    expect(left.length, names).toBeLessThanOrEqual(outcomes.length / 2);
  },
  SLOW,
);

test(
  'what only a person can decide is left to one',
  async () => {
    expect(wrongIn(await outcomesOf(tried.filter(({ hidden }) => hidden === 'none')))).toEqual([]);
  },
  SLOW,
);

test(
  'what looks as if both could be kept is left to a person where it cannot',
  async () => {
    const traps = TRAPS.filter(({ language }) => whyNotTried(language) === undefined);
    expect(wrongIn(await outcomesOf(traps))).toEqual([]);
  },
  SLOW,
);
