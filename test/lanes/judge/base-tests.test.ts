/** What the tests of the base say of a lane's code. */
import { describe, expect, test } from 'vitest';
import { judgeBaseTests, testsNotRun } from '../../../src/lanes/judge/base-proof.ts';
import type { Baseline, JudgedRun } from '../../../src/lanes/judge/judge.ts';

const TESTS = ['cart > total', 'cart > add'];
const base = {
  result: 'pass',
  failures: [],
  tests: { ran: 2, executed: TESTS, skipped: [] },
} as const;

function ran(
  why: Readonly<Record<string, string>>,
  executed: readonly string[] = TESTS,
): JudgedRun {
  const failures = Object.keys(why);
  const tests = {
    runners: ['vitest'],
    began: true,
    ran: executed.length,
    executed,
    skipped: [],
    passed: 1,
  };
  return {
    ...{ result: failures.length > 0 ? 'fail' : 'pass', detail: null, dirtied: [], logPath: 'log' },
    failures,
    tests: { ...tests, why: new Map(Object.entries(why)) },
  };
}

describe('a failed test of the base', () => {
  const failed = ran({ 'cart > total': 'AssertionError: expected 13 to be 6.5' });

  test('is quoted, and stops the lane', () => {
    expect(judgeBaseTests([failed, failed], base, {})).toEqual({
      flags: ['base-tests-failed: ["cart > total: AssertionError: expected 13 to be 6.5"]'],
      why: 'what tests of the base demand no longer holds: cart > total: AssertionError: expected 13 to be 6.5',
    });
  });

  test('is told only, if the coordinator has said that it changes', () => {
    const { flags, why } = judgeBaseTests([failed, failed], base, { claim: 'half the price' });
    expect(flags).toEqual(['behaviour-changed: ["half the price","cart > total"]']);
    expect(why).toBeUndefined();
  });

  test('does not count if it passes when run again, or failed on the base', () => {
    expect(judgeBaseTests([failed, ran({})], base, {}).flags).toEqual([]);
    const before = { ...base, result: 'fail', failures: ['cart > total'] } as const;
    expect(judgeBaseTests([failed, failed], before, {}).flags).toEqual([]);
  });

  test.each([
    'TypeError: cart.total is not a function',
    "ImportError: cannot import name 'total'",
    'Error: Snapshot `receipt 1` mismatched',
    '',
  ])('is told where it has not got to what it demands: %s', (why) => {
    const run = ran({ 'cart > total': why });
    expect(judgeBaseTests([run, run], base, {}).flags).toEqual([
      'base-tests-not-loaded: ["cart > total"]',
    ]);
  });
});

test('tests that pass have to have run', () => {
  expect(judgeBaseTests([ran({})], base, {})).toMatchObject({ flags: [] });
  expect(judgeBaseTests([ran({}, ['cart > total'])], base, {})).toMatchObject({
    flags: ['tests-not-run: ["cart > add"]'],
  });
});

describe('what ran is compared', () => {
  const names = (...executed: readonly string[]) => ({ ran: executed.length, executed });
  const before = names(...TESTS);

  test('where as many others of the file ran, names only differ', () => {
    expect(testsNotRun(before, names('cart > total', 'cart > add 2')).flags).toEqual([]);
    expect(testsNotRun(before, undefined).flags).toEqual([]);
  });

  test('tests of other files take the place of none', () => {
    const flags = ['tests-not-run: ["cart > add"]'];
    expect(testsNotRun(before, names('cart > total', 'pay > a', 'pay > b')).flags).toEqual(flags);
  });

  test('by counts, where the runner tells no names', () => {
    const counted = (ran: number) => ({ ran, executed: [] });
    expect(testsNotRun(counted(4), counted(3))).toEqual({
      flags: ['tests-not-run: ["3 of the 4 tests of the base"]'],
      why: 'no more than 3 of the 4 tests of the base have run',
    });
    expect(testsNotRun(counted(4), counted(5)).flags).toEqual([]);
    expect(testsNotRun(before, counted(1)).flags).not.toEqual([]);
  });

  test('of files that the lane has left alone, where those of the base cannot be loaded', () => {
    const [kept, changed] = ['test/pay.test.js > pays', 'test/cart.test.js > adds'];
    const base = { result: 'pass', failures: [], tests: { ...names(kept, changed), skipped: [] } };
    const failed = ran({ 'test/cart.test.js': 'Cannot find module' }, []);
    const judged = (own: readonly string[]) =>
      judgeBaseTests([failed, failed], base as Baseline, {
        own: names('test/new.test.js > a', ...own),
        changed: ['test/cart.test.js'],
      }).flags;
    const told = 'base-tests-not-loaded: ["test/cart.test.js"]';
    expect(judged([])).toEqual([told, `tests-not-run: ["${kept}"]`]);
    expect(judged([kept])).toEqual([told]);
  });
});
