import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { failuresInLog, logReader } from '../../../src/lanes/validation/failures.ts';
import { sandbox } from '../../support/sandbox.ts';

const LOGS = resolve(import.meta.dirname, '../../fixtures/logs');
const ROOTS = ['/home/ada/shop'];
const logOf = (name: string) => readFileSync(join(LOGS, `${name}.txt`), 'utf8');

function failedTests(log: string, roots: readonly string[] = []) {
  const reader = logReader(roots);
  reader.push(log);
  return reader.end()?.failures;
}

const CART_TREE = [
  'test/broken.test.mjs',
  'test/cart.test.mjs > subtracts',
  'test/cart.test.mjs > cart > totals > rounds',
  'test/cart.test.mjs > cart > totals > subtracts',
  'test/cart.test.mjs > parent > child',
  'test/exit.test.mjs',
];
const UNITTEST = [
  'test_boom (test_unit.Cart.test_boom)',
  'test_broken (unittest.loader._FailedTest.test_broken)',
  'test_parts (test_unit.Cart.test_parts) (i=0)',
  'test_parts (test_unit.Cart.test_parts) (i=2)',
  'test_rounds (test_unit.Cart.test_rounds)',
  'test_odd (test_unit.Cart.test_odd)',
];
const PYTEST = [
  'test_cart.py::test_subtracts',
  'test_cart.py::test_each[a - b]',
  'test_cart.py::test_each[c [x]]',
  'test_cart.py::TestCart::test_parts > (i=0)',
  'test_cart.py::TestCart::test_parts > (i=2)',
  'test_cart.py::TestCart::test_rounds',
  'test_unit.py::Cart::test_boom',
  'test_unit.py::Cart::test_odd',
  'test_unit.py::Cart::test_parts > (i=0)',
  'test_unit.py::Cart::test_parts > (i=2)',
  'test_unit.py::Cart::test_rounds',
  'test_broken.py',
  'test_cart.py::test_fixture',
];

test.each<[log: string, failures: readonly string[]]>([
  ['node-tap', CART_TREE],
  ['node-spec', CART_TREE],
  [
    'node-dot',
    ['test/broken.test.mjs', 'subtracts', 'rounds', 'subtracts (2)', 'child', 'test/exit.test.mjs'],
  ],
  [
    'vitest',
    [
      'test/broken.test.ts',
      'test/cart.test.ts > subtracts',
      'test/cart.test.ts > cart > totals > rounds',
      'test/cart.test.ts > cart > totals > subtracts',
      'test/cart.test.ts > cart > each 1',
      'test/cart.test.ts > cart > each 2',
      'test/late.test.ts > unhandled error',
    ],
  ],
  [
    'jest',
    [
      'src/broken.test.js',
      'src/cart.test.js > subtracts',
      'src/cart.test.js > cart > totals > rounds',
      'src/cart.test.js > cart > totals > subtracts',
    ],
  ],
  ['mocha', ['cart > totals > rounds', 'subtracts', 'hooks > "before each" hook for "is ready"']],
  ['pytest', ['test_broken.py']],
  ['pytest-all', PYTEST],
  [
    'pytest-quiet',
    [
      'ERROR collecting test_broken.py',
      'ERROR at setup of test_fixture',
      'test_subtracts',
      'test_each[a - b]',
      'test_each[c [x]]',
      'TestCart.test_parts (i=0)',
      'TestCart.test_parts (i=2)',
      'TestCart.test_rounds',
      'Cart.test_boom',
      'Cart.test_odd',
      'Cart.test_parts (i=0)',
      'Cart.test_parts (i=2)',
      'Cart.test_rounds',
    ],
  ],
  ['unittest', UNITTEST],
  [
    'go',
    [
      'example.org/shop/cart > TestTotals/rounds',
      'example.org/shop/cart > TestSubtracts',
      'example.org/shop/tax',
      'example.org/shop/stock',
    ],
  ],
  [
    'go-json',
    [
      'example.org/shop/cart > TestTotals/rounds',
      'example.org/shop/cart > TestSubtracts',
      'example.org/shop/tax',
    ],
  ],
  [
    'cargo',
    [
      'src/lib.rs > tests::prints',
      'src/lib.rs > tests::rounds',
      'tests/api.rs > rounds',
      'doc-tests shop > src/lib.rs - add',
    ],
  ],
  ['cargo-broken', ['could not compile `shop` (test "api")']],
  ['nextest', ['shop tests::rounds', 'tests::rounds', 'shop::api rounds']],
  [
    'rspec',
    [
      './spec/cart_spec.rb > Cart totals rounds',
      './spec/cart_spec.rb > Cart behaves like a list counts',
    ],
  ],
  ['minitest', ['CartTest#test_rounds', 'CartTest#test_loads']],
  [
    'phpunit',
    [
      'Shop\\Tests\\CartTest::testLoads',
      'Shop\\Tests\\CartTest::testRounds',
      'Shop\\Tests\\CartTest::testEach > "b"',
    ],
  ],
  [
    'surefire',
    [
      'org.example.shop.CartTest.rounds',
      'org.example.shop.CartTest.loads',
      'shop > maven-surefire-plugin test',
    ],
  ],
  [
    'gradle',
    [
      'task :test',
      ':test > CartTest > rounds()',
      ':test > CartTest > Totals > subtracts',
      'task :checkstyleMain',
    ],
  ],
  ['junit', ['shop.Cart > rounds <1 & more', 'shop.Cart > loads', 'cart.js > fails']],
  ['ctest', ['rounds', 'missing', 'slow', 'with']],
  ['perl-tap', ['rounds', 'cart > b']],
  [
    'prove',
    [
      't/cart.t > rounds',
      't/cart.t > cart',
      't/dies.t > a test',
      't/cart.t > ended with an error',
      't/dies.t > ended with an error',
    ],
  ],
])('every failure of %s has a name, and the log counts no others', async (log, failures) => {
  const read = await failuresInLog(join(LOGS, `${log}.txt`), ROOTS);
  expect(read).toEqual({ failures, unnamed: 0 });
});

test.each<[line: string, failure: string]>([
  [
    "src/cart.ts(3,5): error TS2304: Cannot find name 'x'.",
    "src/cart.ts > error TS2304: Cannot find name 'x'.",
  ],
  [
    'FAIL Required test coverage of 90% not reached. Total coverage: 50.00%',
    'Required test coverage',
  ],
  [
    'Jest: "global" coverage threshold for lines (90%) not met: 50%',
    'global > coverage threshold for lines',
  ],
  ['(fail) cart > rounds [0.52ms]', 'cart > rounds'],
  ['  Failed Shop.CartTests.Rounds [5 ms]', 'Shop.CartTests.Rounds'],
  [
    "Test Case '-[ShopTests.CartTests testRounds]' failed (0.012 seconds).",
    'ShopTests.CartTests testRounds',
  ],
  ['  1) test rounds to cents (Shop.CartTest)', 'test rounds to cents (Shop.CartTest)'],
  ['make[1]: *** [Makefile:12: lint] Error 2', 'lint'],
  ['npm error workspace @shop/cart@1.2.0', 'workspace @shop/cart'],
  ['✖ 3 problems (2 errors, 1 warning)', '2 errors'],
])('is found in one line: %s', (line, failure) => {
  expect(failedTests(`before\n${line}\nafter\n`)).toEqual([failure]);
});

test('passing logs have an empty list of failures', () => {
  expect(failedTests('TAP version 13\nok 1 - adds\n1..1\n# fail 0\n')).toEqual([]);
  expect(failedTests(' Test Files  1 passed (1)\n      Tests  3 passed (3)\n')).toEqual([]);
  expect(failedTests('===== 3 passed in 0.02s =====\n')).toEqual([]);
  expect(failedTests('ok  \texample.org/shop\t0.01s\n')).toEqual([]);
});

test('a log of an unknown tool has no list of failures', () => {
  expect(failedTests('all is lost\nerror: 3 things failed\n')).toBeUndefined();
  expect(failedTests('')).toBeUndefined();
});

test('failures that a tool counts without naming them are counted', async () => {
  const box = sandbox();
  const log = box.write('log', 'Tests:       3 failed, 1 total\nFAIL a.test.js\n  ● adds\n');
  expect(await failuresInLog(log, [])).toEqual({ failures: ['a.test.js > adds'], unnamed: 2 });
});

test('colours and overwritten lines do not hide a failure', () => {
  const log = '\u001b[31mrunning 1\rrunning 2\r\u001b[1mnot ok\u001b[22m 1 - adds\u001b[39m\r\n';
  expect(failedTests(log)).toEqual(['adds']);
});

test('the failures of several tools in one log all count', () => {
  const log = [logOf('pytest'), logOf('go'), logOf('mocha')].join('\n');
  expect(failedTests(log)).toEqual([
    'cart > totals > rounds',
    'subtracts',
    'hooks > "before each" hook for "is ready"',
    'test_broken.py',
    ...(failedTests(logOf('go')) ?? []),
  ]);
});

test.each(['web:test', '@shop/web:test', 'packages/web test', '@shop/web', '[@shop/web]'])(
  'the output of packages is separated by the prefix of each line: %s',
  (task) => {
    const [mine, other] = [logOf('node-spec'), logOf('pytest-all')].map((log) => log.split('\n'));
    const log = mine?.flatMap((line, at) => [
      `${task}: ${line}`,
      `other:test: ${other?.[at] ?? ''}`,
    ]);
    expect(failedTests(log?.join('\n') ?? '')).toEqual([
      ...CART_TREE.map((name) => `${task} > ${name}`),
      ...PYTEST.map((name) => `other:test > ${name}`),
    ]);
  },
);

test('subtests marked as todo, or below one that is, do not count', () => {
  const log = ['    not ok 1 - a', 'not ok 1 - later # TODO', 'not ok 2 - b # SKIP no db', 'ok 3'];
  expect(failedTests(log.join('\n'))).toEqual([]);
});

test('subtests in braces follow their parent', () => {
  const log = 'not ok 1 - cart # time=5ms {\n    not ok 1 - issue # 12\n    ok 2 - b\n}\n';
  expect(failedTests(log)).toEqual(['cart > issue # 12']);
});

test('the same failure has the same name in another folder, at another time, on another line', () => {
  const run = (root: string, line: number, ms: number) => `
not ok 1 - loads ${root}/data/cart.json (${ms}ms)
  ---
  location: '${root}/test/cart.test.mjs:${line}:1'
  ...
not ok 2 - writes /tmp/run-${ms}x/out at 0x7f${line}abc12
`;
  const here = failedTests(run('/home/ada/trees/a', 12, 3.5), ['/home/ada/trees/a']);
  const there = failedTests(run('/var/lib/base', 340, 12), ['/var/lib/base']);
  expect(here).toEqual(['test/cart.test.mjs > loads data/cart.json', 'writes /tmp/out at 0x…']);
  expect(there).toEqual(here);
});

test('two tests of the same name are two failures', () => {
  expect(failedTests('not ok 1 - adds\nnot ok 2 - adds\n')).toEqual(['adds', 'adds (2)']);
});

test('what looks like a time or a version in a name stays', () => {
  const names = ['opens at 10:30', 'supports v1.2:3', 'takes (2) arguments', 'cart [3]'];
  const log = names.map((name, at) => `not ok ${at + 1} - ${name}`).join('\n');
  expect(failedTests(log)).toEqual(names);
});

test('a log of 50 MB, some of it without line ends, is read in little memory', async () => {
  const box = sandbox();
  const noise = `${'debug: nothing happened here, and it went on for a while\n'.repeat(20_000)}`;
  const endless = 'x'.repeat(10_000_000);
  const log = box.write(
    'log',
    `not ok 1 - first\n${noise.repeat(36)}${endless}\nnot ok 2 - last\n`,
  );
  const before = process.memoryUsage.rss();
  expect(await failuresInLog(log, [])).toEqual({ failures: ['first', 'last'], unnamed: 0 });
  expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
});
