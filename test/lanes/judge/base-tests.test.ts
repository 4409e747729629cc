/** What the tests of the base say of a lane's code. */
import { describe, expect, test } from 'vitest';
import { judgeBaseTests, testsNotRun } from '../../../src/lanes/judge/base-tests.ts';
import type { JudgedRun } from '../../../src/lanes/judge/judge.ts';

const TESTS = ['cart > total', 'cart > add'];
const base = { result: 'pass', failures: [], tests: { executed: TESTS, skipped: [] } } as const;

function ran(
  why: Readonly<Record<string, string>>,
  executed: readonly string[] = TESTS,
): JudgedRun {
  const failures = Object.keys(why);
  const tests = { runners: ['vitest'], began: true, executed, skipped: [], passed: 1 };
  return {
    ...{ result: failures.length > 0 ? 'fail' : 'pass', detail: null, dirtied: [], logPath: 'log' },
    failures,
    tests: { ...tests, why: new Map(Object.entries(why)) },
  };
}

describe('a failed test of the base', () => {
  const failed = ran({ 'cart > total': 'AssertionError: expected 13 to be 6.5' });

  test('is quoted, and stops the lane', () => {
    expect(judgeBaseTests([failed, failed], base, undefined)).toEqual({
      flags: ['base-tests-failed: ["cart > total: AssertionError: expected 13 to be 6.5"]'],
      why: 'what tests of the base demand no longer holds: cart > total: AssertionError: expected 13 to be 6.5',
    });
  });

  test('is told only, if the coordinator has said that it changes', () => {
    const { flags, why } = judgeBaseTests([failed, failed], base, 'half the price');
    expect(flags).toEqual(['behaviour-changed: ["half the price","cart > total"]']);
    expect(why).toBeUndefined();
  });

  test('does not count if it passes when run again, or failed on the base', () => {
    expect(judgeBaseTests([failed, ran({})], base, undefined).flags).toEqual([]);
    const before = { ...base, result: 'fail', failures: ['cart > total'] } as const;
    expect(judgeBaseTests([failed, failed], before, undefined).flags).toEqual([]);
  });

  test.each([
    'TypeError: cart.total is not a function',
    "ImportError: cannot import name 'total'",
    'Error: Snapshot `receipt 1` mismatched',
    '',
  ])('is told where it has not got to what it demands: %s', (why) => {
    const run = ran({ 'cart > total': why });
    expect(judgeBaseTests([run, run], base, undefined).flags).toEqual([
      'base-tests-not-loaded: ["cart > total"]',
    ]);
  });
});

test('tests that pass have to have run', () => {
  expect(judgeBaseTests([ran({})], base, undefined)).toMatchObject({ flags: [] });
  expect(judgeBaseTests([ran({}, ['cart > total'])], base, undefined)).toMatchObject({
    flags: ['tests-not-run: ["cart > add"]'],
  });
});

test('where as many others ran, names only differ', () => {
  const renamed = { executed: ['cart > total', 'cart > add 2'] };
  expect(testsNotRun({ executed: TESTS }, renamed).flags).toEqual([]);
  expect(testsNotRun({ executed: TESTS }, undefined).flags).toEqual([]);
});
