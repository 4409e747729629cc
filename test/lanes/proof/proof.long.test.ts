/** Who weakens a test is not verified without a word, and who does honest work is not stopped. */
import { describe, expect, test } from 'vitest';
import { CHEATS } from './cheats.ts';
import { HONEST } from './honest.ts';
import { outcomesOf, whyNotTried } from './measure.ts';
import { PROJECTS, type Runner } from './project.ts';

/** No test of the base is weaker, and none fails: only another value in the code would tell. */
const UNSEEN: readonly string[] = ['the code asks who runs it'];

describe.each(Object.keys(PROJECTS) as Runner[])('%s', (runner) => {
  const why = whyNotTried(runner);
  const ofRunner = (it: { readonly runner: Runner }) => it.runner === runner;

  test.skipIf(why !== undefined)(`weakened tests${why ? ` (${why})` : ''}`, async () => {
    const outcomes = await outcomesOf(runner, CHEATS.filter(ofRunner));
    const plain = outcomes.filter(({ kind }) => kind === 'verified').map(({ lane }) => lane.name);
    expect(plain.filter((name) => !UNSEEN.includes(name))).toEqual([]);
  });

  test.skipIf(why !== undefined)(`honest work${why ? ` (${why})` : ''}`, async () => {
    const outcomes = await outcomesOf(runner, HONEST.filter(ofRunner));
    const stopped = outcomes.filter(({ kind }) => kind === 'failed' || kind === 'stopped');
    expect(stopped.map(({ lane, why: said }) => `${lane.name}: ${said}`)).toEqual([]);
  });
});
