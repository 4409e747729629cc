/** What is shown of a failed smoke test: the first failure with its assertion, and the totals. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureExcerpt, failureExcerptOf } from '../../src/features/failure-excerpt.ts';
import { sandbox } from '../support/sandbox.ts';
import { shop } from '../support/shop.ts';

const logs = join(import.meta.dirname, '../fixtures/logs');

describe('the first failure of a known runner, then its totals', () => {
  test.each([
    ['vitest', 'FAIL  test/broken.test.ts', "Cannot find module './nowhere.ts'", 'Tests  5 failed'],
    [
      'jest',
      '● Test suite failed to run',
      "Cannot find module './nowhere'",
      'Tests:       3 failed',
    ],
    ['mocha', '1) cart', 'AssertionError [ERR_ASSERTION]', '3 failing'],
    ['node-spec', 'test at test/broken.test.mjs:1:1', "'test failed'", 'ℹ fail 7'],
    ['node-tap', 'not ok 1 - test/broken.test.mjs', "error: 'test failed'", '# fail 7'],
    ['pytest', 'ERROR collecting test_broken.py', "No module named 'nowhere'", '1 error in 0.72s'],
    ['pytest-quiet', 'ERROR collecting', "No module named 'nowhere'", '11 failed, 5 passed'],
    ['unittest', 'ERROR: test_boom', 'RuntimeError: x', 'FAILED (failures=3'],
    ['go', 'cart_test.go:14: got 1, want 2', 'got 1', 'FAIL\texample.org/shop/stock'],
    ['cargo', '---- tests::prints stdout ----', 'left: 2', 'test result: FAILED'],
    ['rspec', '1) Cart totals rounds', 'expected: 2', '6 examples, 2 failures'],
    ['minitest', '1) Failure:', 'Expected: 2', '3 runs, 2 assertions'],
    ['phpunit', '1) Shop\\Tests\\CartTest::testLoads', 'no database', 'Tests: 7'],
    ['surefire', 'CartTest.rounds', 'expected: <2> but was: <1>', 'Tests run: 6'],
    ['gradle', 'CartTest > rounds() FAILED', 'CartTest.java:14', '5 tests completed'],
    ['junit', '<failure message="1 is not', 'AssertionError', '</testsuites>'],
  ])('%s', (name, first, assertion, totals) => {
    const excerpt = failureExcerptOf(join(logs, `${name}.txt`));
    expect(excerpt[0]).toContain(first);
    expect(excerpt.join('\n')).toContain(assertion);
    expect(excerpt.slice(-12).join('\n')).toContain(totals);
    expect(excerpt.length).toBeLessThanOrEqual(25);
    expect(excerpt.join('\n')).not.toContain('\u001b');
  });
});

describe('a runner that is not known', () => {
  test('shows everything if it is short', () => {
    expect(failureExcerpt('\n\u001b[31mbuilding\u001b[39m\nno such target\n\n')).toEqual([
      'building',
      'no such target',
    ]);
  });

  test('shows what follows the first error, and the last lines', () => {
    const progress = Array.from({ length: 100 }, (_, n) => `step ${n}`);
    const output = [
      ...progress,
      'ld: error: undefined symbol',
      'in main.o',
      ...progress,
      'gave up',
    ];
    const excerpt = failureExcerpt(output.join('\n'));
    expect(excerpt.slice(0, 2)).toEqual(['ld: error: undefined symbol', 'in main.o']);
    expect(excerpt.slice(-2)).toEqual(['step 99', 'gave up']);
    expect(excerpt).toHaveLength(25);
  });

  test('shows the last lines if nothing looks like an error', () => {
    const lines = Array.from({ length: 100 }, (_, n) => `step ${n}`);
    expect(failureExcerpt(lines.join('\n'))).toEqual(lines.slice(-25));
  });
});

test('a progress bar is shown as it was at last, and a long line is cut', () => {
  expect(failureExcerpt(`10 %\r50 %\rdone`)).toEqual(['done']);
  expect(failureExcerpt('x'.repeat(5_000))[0]).toHaveLength(200);
});

test('frames of the runner are left out, those of the project stay', () => {
  const excerpt = failureExcerptOf(join(logs, 'node-dot.txt')).join('\n');
  expect(excerpt).toContain(
    'at TestContext.<anonymous> (file:///home/ada/shop/test/cart.test.mjs:4',
  );
  expect(excerpt).not.toContain('node:internal');
});

test('`feature verify` shows it', async () => {
  const project = shop(sandbox(), {
    features: {
      cart: { files: ['src/cart/**'], smoke: [`cat ${join(logs, 'vitest.txt')}; exit 1`] },
    },
  });
  const { exitCode, stderr } = await project.lanehold('feature', 'verify', 'cart');
  expect(exitCode).toBe(1);
  expect(stderr).toContain(
    " FAIL  test/broken.test.ts [ test/broken.test.ts ]\n  Error: Cannot find module './nowhere.ts'",
  );
  expect(stderr).toMatch(/ {2}Tests {2}5 failed \| 3 passed \(8\)\n/);
});
