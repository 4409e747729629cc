import { expect, test } from 'vitest';
import { testCount } from '../../src/features/test-count.ts';
import { TEST_RUNNERS } from '../../src/features/test-runners.ts';

/** What runners print, with the number of tests that they have executed. */
const EXAMPLES: Readonly<Record<string, readonly (readonly [output: string, count: number])[]>> = {
  vitest: [
    [' Test Files  2 passed (2)\n      Tests  5 passed | 1 skipped (6)\n', 5],
    [' Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 2 passed (3)\n', 3],
    [' Test Files  1 skipped (1)\n      Tests  3 skipped (3)\n', 0],
    [' Test Files  1 failed (1)\n      Tests  no tests\n', 0],
    ['\u001b[2m      Tests \u001b[22m \u001b[1m\u001b[32m11 passed\u001b[39m\u001b[22m (11)\n', 11],
    ['No test files found, exiting with code 0\n', 0],
  ],
  ava: [
    ['\n  2 tests passed\n  1 test skipped\n', 2],
    ['\n  1 test skipped\n', 0],
  ],
  jest: [
    ['No tests found, exiting with code 1\nRun with `--passWithNoTests` to exit with code 0\n', 0],
    ['Test Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\n', 2],
    ['Test Suites: 1 skipped, 0 of 1 total\nTests:       3 skipped, 3 total\n', 0],
  ],
  mocha: [
    ['\n  12 passing (31ms)\n  1 pending\n  1 failing\n', 13],
    ['\n  0 passing (1ms)\n', 0],
    ['Error: No test files found: "test/none"\n', 0],
  ],
  node: [
    ['ℹ tests 4\nℹ suites 0\nℹ pass 3\nℹ fail 1\nℹ skipped 0\n', 4],
    ['# tests 2\n# pass 0\n# fail 0\n# skipped 2\n', 0],
    ['ℹ tests 0\nℹ pass 0\nℹ fail 0\n', 0],
    ["Could not find '/shop/test/none.test.js'\n", 0],
  ],
  'playwright test': [
    ['  1 skipped\n  4 passed (3.2s)\n', 4],
    ['  2 skipped\n', 0],
    ['Error: No tests found\n', 0],
  ],
  pytest: [
    ['..s.                 [100%]\n3 passed, 1 skipped in 0.02s\n', 3],
    ['========= 1 failed, 2 passed, 1 warning in 1.20s =========\n', 3],
    ['============ 4 deselected in 0.01s ============\n', 0],
    ['1 skipped in 0.01s\n', 0],
    ['============ no tests ran in 0.00s ============\n', 0],
  ],
  unittest: [
    ['----\nRan 3 tests in 0.001s\n\nOK (skipped=1)\n', 2],
    ['----\nRan 2 tests in 0.001s\n\nOK (skipped=2)\n', 0],
    ['----\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n', 0],
  ],
  'go test': [
    ['ok  \tshop/cart\t0.002s\n?   \tshop/cmd\t[no test files]\n', 1],
    ['ok  \tshop/cart\t(cached)\n', 1],
    ['ok  \tshop/cart\t0.002s [no tests to run]\n?   \tshop/cmd\t[no test files]\n', 0],
  ],
  'cargo test': [
    ['test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n', 2],
    [
      'running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 4 filtered out; finished in 0.00s\n',
      0,
    ],
  ],
  'cargo nextest': [
    ['     Summary [   0.012s] 3 tests run: 3 passed, 1 skipped\n', 3],
    ['error: no tests to run\n', 0],
  ],
  rspec: [
    ['3 examples, 0 failures, 1 pending\n', 2],
    ['0 examples, 0 failures\n', 0],
  ],
  minitest: [
    ['3 runs, 3 assertions, 0 failures, 0 errors, 0 skips\n', 3],
    ['2 runs, 0 assertions, 0 failures, 0 errors, 2 skips\n', 0],
  ],
  phpunit: [
    ['OK (3 tests, 5 assertions)\n', 3],
    ['Tests: 2, Assertions: 0, Skipped: 2.\n', 0],
    ['No tests executed!\n', 0],
  ],
  'mix test': [
    ['5 tests, 0 failures, 1 excluded\n', 4],
    ['There are no tests to run\n', 0],
  ],
  maven: [
    ['[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1\n', 2],
    ['[INFO] No tests to run.\n', 0],
  ],
  'dotnet test': [
    ['Passed!  - Failed:     0, Passed:     3, Skipped:     1, Total:     4, Duration: 8 ms\n', 3],
    ['No test is available in /shop/bin/Shop.dll.\n', 0],
  ],
  'deno test': [
    ['ok | 3 passed | 0 failed (12ms)\n', 3],
    ['ok | 0 passed | 0 failed (1ms)\n', 0],
  ],
  'bun test': [
    [' 3 pass\n 0 fail\n', 3],
    [' 0 pass\n 0 fail\n', 0],
  ],
  ctest: [
    ['100% tests passed, 0 tests failed out of 4\n', 4],
    ['No tests were found!!!\n', 0],
  ],
  prove: [
    ['All tests successful.\nFiles=1, Tests=3,  0 wallclock secs\nResult: PASS\n', 3],
    ['Files=1, Tests=0,  0 wallclock secs\nResult: NOTESTS\n', 0],
  ],
  bats: [
    ['1..3\nok 1 adds\nnot ok 2 rounds\nok 3 later # skip no db\n', 2],
    ['1..0\n', 0],
  ],
  junit: [
    ['<testsuites>\n <testsuite name="a" tests="4" failures="1" skipped="1">\n', 3],
    ['<testsuite name="Mocha Tests" tests="0" failures="0" errors="0" skipped="0">\n', 0],
  ],
  'swift test': [
    ['\t Executed 2 tests, with 0 failures (0 unexpected) in 0.1 (0.2) seconds\n', 2],
    ['\t Executed 0 tests, with 0 failures (0 unexpected) in 0.0 (0.0) seconds\n', 0],
  ],
};

test.each(Object.entries(EXAMPLES))('%s', (_, examples) => {
  expect(examples.map(([output]) => [output, testCount(output)])).toEqual(examples);
  expect(examples.some(([, count]) => count === 0)).toBe(true);
});

test('each runner has an example', () => {
  const missing = TEST_RUNNERS.map(({ name }) => name).filter((it) => EXAMPLES[it] === undefined);
  expect(missing).toEqual([]);
});

test.each(['', 'compiled\n', 'make: nothing to be done for `check`.\n', 'all well: 0 problems\n'])(
  '%j is of no known runner',
  (output) => {
    expect(testCount(output)).toBeUndefined();
  },
);

test('what several runners have executed is added up', () => {
  const output = 'ok  \tshop\t0.1s [no tests to run]\n      Tests  2 passed (2)\n';
  expect(testCount(output)).toBe(2);
});
