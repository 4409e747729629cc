import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Baseline,
  type Case,
  type JudgedRun,
  judge,
  needsBaseline,
  needsRerun,
} from '../../../src/lanes/judge/judge.ts';

const runOf = (changes: Partial<JudgedRun> = {}): JudgedRun => ({
  result: 'pass',
  detail: null,
  tests: undefined,
  failures: [],
  dirtied: [],
  logPath: '/runs/validate-1.log',
  ...changes,
});
const failing = (...failures: readonly string[]) => runOf({ result: 'fail', failures });
const base = (...failures: readonly string[]): Baseline => ({ result: 'fail', failures });
const caseOf = (run: JudgedRun, changes: Partial<Case> = {}): Case => ({
  runs: [run],
  baseline: undefined,
  testsRemoved: [],
  ...changes,
});

test('exit code 0 passes', () => {
  expect(judge(caseOf(runOf()))).toEqual({
    verdict: 'pass',
    newFailures: [],
    oldFailures: [],
    flags: [],
    rejection: null,
    why: 'exit code 0',
  });
});

test('a pass whose log lists failed tests passes, flagged', () => {
  expect(judge(caseOf(runOf({ failures: ['cart > adds'] })))).toMatchObject({
    verdict: 'pass',
    flags: ['failed-tests-listed'],
    why: expect.stringContaining('cart > adds'),
  });
});

test('without a baseline every failure counts', () => {
  expect(judge(caseOf(failing('b', 'a')))).toMatchObject({
    verdict: 'fail',
    newFailures: ['a', 'b'],
    rejection: 'validation',
    why: '2 failed tests: a, b',
  });
});

test('failures that the base has, too, do not count', () => {
  expect(judge(caseOf(failing('a'), { baseline: base('a', 'b') }))).toMatchObject({
    verdict: 'pass',
    newFailures: [],
    oldFailures: ['a'],
    flags: ['base-was-failing'],
  });
});

test('only the new failure is named', () => {
  expect(judge(caseOf(failing('a', 'new', 'b'), { baseline: base('a', 'b') }))).toMatchObject({
    verdict: 'fail',
    newFailures: ['new'],
    oldFailures: ['a', 'b'],
    why: '1 new failure: new (2 failed on the base, too)',
  });
});

test('failures listed by a passing base excuse nothing', () => {
  const baseline: Baseline = { result: 'pass', failures: ['a'] };
  expect(judge(caseOf(failing('a'), { baseline })).verdict).toBe('fail');
});

test.each<Baseline['result']>(['error', 'timeout'])(
  'a base without a result (%s) excuses nothing',
  (result) => {
    expect(judge(caseOf(failing('a'), { baseline: { result, failures: ['a'] } })).verdict).toBe(
      'fail',
    );
  },
);

describe("a failing run fails whatever the base's result", () => {
  test('if no report names a failed test', () => {
    expect(judge(caseOf(failing(), { baseline: base('a') }))).toMatchObject({
      verdict: 'fail',
      why: 'the command fails, and no report says which tests do',
    });
  });

  test('and says so in a few words where the base passes', () => {
    const passing: Baseline = { result: 'pass', failures: [] };
    expect(judge(caseOf(failing(), { baseline: passing }))).toMatchObject({
      verdict: 'fail',
      why: 'the command fails here and passes on the base',
    });
  });

  test('if the failures of the base cannot be read', () => {
    expect(judge(caseOf(failing('a'), { baseline: base() }))).toMatchObject({
      verdict: 'fail',
      why: expect.stringContaining('the base fails as well, but no report says which'),
    });
  });
});

test.each(['error', 'timeout'] as const)('%s is no verdict on the tests', (result) => {
  const run = runOf({ result, detail: 'was killed by SIGKILL', failures: ['a'] });
  expect(judge(caseOf(run, { baseline: base('a') }))).toMatchObject({
    verdict: result,
    rejection: null,
    why: 'was killed by SIGKILL',
  });
});

describe('one commit, two results', () => {
  test('is flaky, with both logs, and never passes', () => {
    const runs = [failing('a'), runOf({ logPath: '/runs/validate-2.log' })];
    expect(judge({ runs, baseline: base('a'), testsRemoved: [] })).toMatchObject({
      verdict: 'flaky',
      newFailures: [],
      oldFailures: ['a'],
      why: 'different results of the same commit: fail (/runs/validate-1.log), then pass (/runs/validate-2.log)',
    });
  });

  test('fails if both fail, each in its own way', () => {
    expect(
      judge({ runs: [failing('a'), failing('b')], baseline: undefined, testsRemoved: [] }),
    ).toMatchObject({
      verdict: 'fail',
      newFailures: ['a', 'b'],
    });
  });
});

describe('removed tests', () => {
  const gone = (...testsRemoved: readonly string[]) =>
    judge(
      caseOf(failing('cart > b'), {
        baseline: base('test/a.mjs > cart > adds', 'cart > b'),
        testsRemoved,
      }),
    );

  test('one that was failing is rejected', () => {
    expect(gone('test/a.mjs > adds')).toMatchObject({
      verdict: 'fail',
      rejection: 'tests_removed',
      flags: ['tests_removed'],
      why: 'tests were removed: test/a.mjs > adds',
    });
  });

  test('one that was not failing is only flagged', () => {
    expect(gone('test/a.mjs > subtracts')).toMatchObject({
      verdict: 'pass',
      flags: ['tests_removed', 'base-was-failing'],
    });
  });

  test('one that still fails elsewhere is only flagged', () => {
    expect(gone('test/a.mjs > b').verdict).toBe('pass');
  });

  test('a title only matches as a whole', () => {
    expect(gone('test/a.mjs > add').verdict).toBe('pass');
  });

  test('a whole file is never removed silently', () => {
    const removed = judge(caseOf(runOf(), { testsRemoved: ['test/a.mjs'] }));
    expect(removed).toMatchObject({ verdict: 'fail', rejection: 'tests_removed' });
  });

  test.each<[string, Baseline | undefined]>([
    ['was not run', undefined],
    ['timed out', { result: 'timeout', failures: [] }],
    ['failed without naming anything', base()],
  ])('any test may have been failing if the base %s', (_, baseline) => {
    const it = caseOf(runOf(), { baseline, testsRemoved: ['test/a.mjs > adds'] });
    expect(judge(it)).toMatchObject({ verdict: 'fail', rejection: 'tests_removed' });
  });

  test('of a passing base, none was failing', () => {
    const baseline: Baseline = { result: 'pass', failures: [] };
    const it = caseOf(runOf(), { baseline, testsRemoved: ['test/a.mjs > adds'] });
    expect(judge(it)).toMatchObject({ verdict: 'pass', flags: ['tests_removed'] });
  });

  test('a declared removal is flagged and accepted', () => {
    const it = caseOf(runOf(), { testsRemoved: ['test/a.mjs'], removal: 'declared' });
    expect(judge(it)).toMatchObject({ verdict: 'pass', rejection: null, flags: ['tests_removed'] });
  });

  test.each([
    ['test_cart.py::TestCart::test_adds[1]', 'test_adds'],
    ['test_adds (test_cart.Cart.test_adds)', 'test_adds'],
    ['example.org/shop > TestTotals/rounds', 'TestTotals'],
    ['src/lib.rs > tests::adds', 'adds'],
    ['./spec/cart_spec.rb > Cart totals rounds', 'rounds'],
    ['Shop\\Tests\\CartTest::testAdds', 'testAdds'],
    ['org.example.CartTest.adds', 'adds'],
    [':test > CartTest > adds()', 'adds'],
  ])('the failure %s is recognised by the title %s', (failure, title) => {
    const it = caseOf(runOf(), { baseline: base(failure), testsRemoved: [`a > ${title}`] });
    expect(judge(it).rejection).toBe('tests_removed');
  });
});

test('a changed tree is flagged', () => {
  expect(judge(caseOf(runOf({ dirtied: ['out.txt'] }))).flags).toEqual(['dirtied']);
});

test('a validation without a run is an error', () => {
  expect(judge({ runs: [], baseline: undefined, testsRemoved: [] }).verdict).toBe('error');
});

describe('a second run', () => {
  test('is needed after a failure', () => {
    expect(needsRerun(failing('a'), undefined)).toBe(true);
  });

  test('is not needed after a pass, or without a result', () => {
    expect(needsRerun(runOf(), undefined)).toBe(false);
    expect(needsRerun(runOf({ result: 'error' }), undefined)).toBe(false);
    expect(needsRerun(runOf({ result: 'timeout' }), undefined)).toBe(false);
  });

  test('is not needed if the base explains all failures', () => {
    expect(needsRerun(failing('a'), base('a'))).toBe(false);
    expect(needsRerun(failing('a', 'b'), base('a'))).toBe(true);
  });
});

test('the base is validated if it could change the verdict', () => {
  expect(needsBaseline(runOf(), [])).toBe(false);
  expect(needsBaseline(runOf(), ['test/a.mjs > adds'])).toBe(true);
  expect(needsBaseline(failing('a'), [])).toBe(true);
});

const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'));
const results = fc.constantFrom('pass', 'fail', 'error', 'timeout' as const);
const runs = fc.record({
  result: results,
  detail: fc.constant(null),
  tests: fc.constant(undefined),
  failures: names,
  dirtied: fc.constant([]),
  logPath: fc.constant('log'),
});
const baselines = fc.option(
  fc.record({
    result: fc.constantFrom(...(['pass', 'fail', 'error', 'timeout', 'flaky'] as const)),
    failures: names,
  }),
  { nil: undefined },
);
const cases = fc.record({
  runs: fc.array(runs, { maxLength: 3 }),
  baseline: baselines,
  testsRemoved: fc.constantFrom([], ['test/x.mjs'], ['test/x.mjs > a']),
});

test('never passes with a failure that the base does not have', () => {
  fc.assert(
    fc.property(cases, (it) => {
      const old = new Set(
        it.baseline?.result === 'fail' || it.baseline?.result === 'flaky'
          ? it.baseline.failures
          : [],
      );
      const failed = it.runs.filter(({ result }) => result === 'fail');
      const isNew = failed.some(
        (run) => run.failures.length === 0 || run.failures.some((name) => !old.has(name)),
      );
      return !(isNew && judge(it).verdict === 'pass');
    }),
  );
});

test('never passes without a completed run, or with different results', () => {
  fc.assert(
    fc.property(cases, (it) => {
      const seen = new Set(it.runs.map(({ result }) => result));
      const settled = seen.size === 1 && (seen.has('pass') || seen.has('fail'));
      return settled || judge(it).verdict !== 'pass';
    }),
  );
});

test('does not depend on the order of the failures', () => {
  fc.assert(
    fc.property(cases, (it) => {
      const turned: Case = {
        ...it,
        runs: it.runs.map((run) => ({ ...run, failures: run.failures.toReversed() })),
        baseline: it.baseline && { ...it.baseline, failures: it.baseline.failures.toReversed() },
      };
      return JSON.stringify(judge(turned)) === JSON.stringify(judge(it));
    }),
  );
});

describe('a test runner that reports its results', () => {
  const counted = (executed: number, passed: number, began = true) => ({
    tests: {
      ...{ runners: ['vitest'], began, passed, ran: executed, skipped: [], why: new Map() },
      executed: Array.from({ length: executed }, (_, at) => `test ${at}`),
    },
  });

  test('proves nothing if it has executed no test, whatever its exit code', () => {
    expect(judge(caseOf(runOf(counted(0, 0))))).toMatchObject({
      verdict: 'error',
      rejection: null,
      why: 'nothing was proved: vitest ended with exit code 0 and has executed no test',
    });
    const died = runOf({ result: 'fail', ...counted(0, 0) });
    expect(judge(caseOf(died, { baseline: { result: 'pass', failures: [] } }))).toMatchObject({
      verdict: 'error',
      why: 'nothing was proved: vitest ended before the first test',
    });
  });

  test('is not to blame for a command before it that fails here alone', () => {
    const run = runOf({ result: 'fail', ...counted(0, 0, false) });
    const baseline: Baseline = { result: 'pass', failures: [] };
    expect(judge(caseOf(run, { baseline })).verdict).toBe('fail');
    expect(judge(caseOf(run, { baseline: base() })).verdict).toBe('error');
  });

  test('excuses old failures only where something passed', () => {
    const baseline = base('a');
    const old = { result: 'fail', failures: ['a'] } as const;
    expect(judge(caseOf(runOf({ ...old, ...counted(1, 0) }), { baseline }))).toMatchObject({
      verdict: 'error',
      why: 'nothing was proved: no test of vitest passed, and none failed that does not fail on the base',
    });
    expect(judge(caseOf(runOf({ ...old, ...counted(2, 1) }), { baseline })).verdict).toBe('pass');
    expect(
      judge(caseOf(runOf({ ...old, failures: ['b'], ...counted(1, 0) }), { baseline })).verdict,
    ).toBe('fail');
  });
});
