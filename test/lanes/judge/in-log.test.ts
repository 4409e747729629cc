import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { failuresInLog } from '../../../src/lanes/judge/reports/in-log.ts';
import { sandbox } from '../../support/sandbox.ts';

const LOGS = resolve(import.meta.dirname, '../../fixtures/logs');
const logOf = (name: string) => readFileSync(join(LOGS, `${name}.txt`), 'utf8');

function failedTests(log: string, roots: readonly string[] = []) {
  return failuresInLog(sandbox().write('log', log), roots);
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
  expect(await failuresInLog(file, [])).toEqual(['first', 'last']);
  expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
});
