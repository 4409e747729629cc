import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { testsInLog } from '../../../src/lanes/judge/reports/in-log.ts';
import { sandbox } from '../../support/sandbox.ts';

const LOGS = resolve(import.meta.dirname, '../../fixtures/logs');
const logOf = (name: string) => readFileSync(join(LOGS, `${name}.txt`), 'utf8');

const testsIn = (log: string, roots: readonly string[] = []) =>
  testsInLog(sandbox().write('log', log), roots);

async function failedTests(log: string, roots: readonly string[] = []) {
  return (await testsIn(log, roots)).failures;
}

/** Lines of TAP with their plan. */
const tap = (...lines: readonly string[]) =>
  [...lines, `1..${lines.filter((it) => /^(not )?ok/.test(it)).length}`, ''].join('\n');

const CART_TREE = [
  'test/broken.test.mjs',
  'test/cart.test.mjs > subtracts',
  'test/cart.test.mjs > cart > totals > rounds',
  'test/cart.test.mjs > cart > totals > subtracts',
  'test/cart.test.mjs > parent > child',
  'test/exit.test.mjs',
];
const GO = [
  'example.org/shop/cart > TestTotals/rounds',
  'example.org/shop/cart > TestSubtracts',
  'example.org/shop/tax',
];

test.each<[log: string, failures: readonly string[]]>([
  ['node-tap', CART_TREE],
  ['perl-tap', ['rounds', 'cart > b']],
  ['go-json', GO],
  ['go', [...GO, 'example.org/shop/stock']],
  [
    'cargo',
    [
      'src/lib.rs > tests > prints',
      'src/lib.rs > tests > rounds',
      'tests/api.rs > rounds',
      'shop > src/lib.rs - add',
    ],
  ],
])('every failure of %s has a name', async (log, failures) => {
  expect(await failedTests(logOf(log), ['/home/ada/shop'])).toEqual(failures);
});

test('the failures of several reports in one log all count', async () => {
  expect(await failedTests([logOf('go-json'), logOf('perl-tap')].join('\n'))).toEqual([
    'rounds',
    'cart > b',
    ...GO,
  ]);
});

const RIGHT_IS_3 = 'assertion `left == right` failed left: 2 right: 3';

test('what passed has a name, too, and what a failed test says', async () => {
  const shop = 'example.org/shop/cart';
  expect((await testsIn(logOf('go'))).results).toEqual([
    { status: 'passed', name: `${shop} > TestAdds` },
    { status: 'failed', name: `${shop} > TestTotals/rounds`, why: 'got 1, want 2' },
    { status: 'passed', name: `${shop} > TestTotals/adds/up` },
    { status: 'failed', name: `${shop} > TestSubtracts`, why: 'no' },
    { status: 'not-loaded', name: 'example.org/shop/tax' },
    { status: 'not-loaded', name: 'example.org/shop/stock' },
  ]);
  expect((await testsIn(logOf('cargo'))).results?.slice(0, 4)).toEqual([
    { status: 'skipped', name: 'src/lib.rs > tests > later' },
    { status: 'passed', name: 'src/lib.rs > tests > adds' },
    { status: 'failed', name: 'src/lib.rs > tests > prints', why: RIGHT_IS_3 },
    { status: 'failed', name: 'src/lib.rs > tests > rounds', why: RIGHT_IS_3 },
  ]);
});

test('a package that Go was asked about, and that names no test, has executed none', async () => {
  const file = sandbox().write('log', 'ok  \tshop\t0.001s\n');
  expect((await testsInLog(file, [], true)).results).toEqual([]);
  // Where it was not asked, it tells no names.
  expect((await testsInLog(file, [], false)).results).toBeUndefined();
  const failed = sandbox().write('log', 'FAIL\tshop [build failed]\n');
  expect((await testsInLog(failed, [], true)).results).toMatchObject([{ status: 'not-loaded' }]);
});

test('tests of cargo of which a line is lost in what they print are no report', async () => {
  const log = logOf('cargo').replace('test tests::adds ... ok', 'test tests::adds ... hello\nok');
  expect((await testsIn(log)).results).toBeUndefined();
});

test('what a tool prints for people is not read', async () => {
  expect(await failedTests(logOf('pytest') + logOf('mocha') + logOf('vitest'))).toEqual([]);
  expect(await failedTests('')).toEqual([]);
});

test('TAP that ends before its plan is fulfilled is no report', async () => {
  expect(await failedTests('1..3\nok 1\nnot ok 2 - adds\n')).toEqual([]);
  expect(await failedTests('ok 1\nnot ok 2 - adds\n')).toEqual([]);
  expect(await failedTests('1..2\nok 1\nnot ok 2 - adds\n')).toEqual(['adds']);
});

test('colours and overwritten lines do not hide a failure', async () => {
  const line = '\u001b[31mrunning 1\rrunning 2\r\u001b[1mnot ok\u001b[22m 1 - adds\u001b[39m\r';
  expect(await failedTests(`${line}\n1..1\n`)).toEqual(['adds']);
});

test('subtests marked as todo, or below one that is, do not count', async () => {
  const lines = [
    '    not ok 1 - a',
    'not ok 1 - later # TODO',
    'not ok 2 - b # SKIP no db',
    'ok 3',
  ];
  expect(await failedTests(tap(...lines))).toEqual([]);
});

test('a failed test in braces is named, and so is its parent', async () => {
  const lines = ['not ok 1 - cart # time=5ms {', '    not ok 1 - issue # 12', '    ok 2 - b', '}'];
  expect(await failedTests(tap(...lines))).toEqual(['cart', 'issue # 12']);
});

test('the same failure has the same name in another folder, at another time, on another line', async () => {
  const run = (root: string, line: number, ms: number) =>
    tap(
      `not ok 1 - loads ${root}/data/cart.json (${ms}ms)`,
      '  ---',
      `  location: '${root}/test/cart.test.mjs:${line}:1'`,
      '  ...',
      `not ok 2 - writes /tmp/run-${ms}x/out at 0x7f${line}abc12`,
    );
  const here = await failedTests(run('/home/ada/trees/a', 12, 3.5), ['/home/ada/trees/a']);
  const there = await failedTests(run('/var/lib/base', 340, 12), ['/var/lib/base']);
  expect(here).toEqual(['test/cart.test.mjs > loads data/cart.json', 'writes /tmp/out at 0x…']);
  expect(there).toEqual(here);
});

test('two tests of the same name are two failures', async () => {
  expect(await failedTests(tap('not ok 1 - adds', 'not ok 2 - adds'))).toEqual([
    'adds',
    'adds (2)',
  ]);
});

test('what looks like a time or a version in a name stays', async () => {
  const names = ['opens at 10:30', 'supports v1.2:3', 'takes (2) arguments', 'cart [3]'];
  const lines = names.map((name, at) => `not ok ${at + 1} - ${name}`);
  expect(await failedTests(tap(...lines))).toEqual(names);
});

test('a log of 50 MB, some of it without line ends, is read in little memory', async () => {
  const noise = `${'debug: nothing happened here, and it went on for a while\n'.repeat(20_000)}`;
  const endless = 'x'.repeat(10_000_000);
  const log = tap('not ok 1 - first', noise.repeat(36), endless, 'not ok 2 - last');
  const file = sandbox().write('log', log);
  const before = process.memoryUsage.rss();
  expect((await testsInLog(file, [])).failures).toEqual(['first', 'last']);
  expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
});
