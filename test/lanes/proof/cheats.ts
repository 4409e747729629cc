/**
 * Lanes that break the code and still have a validation that passes: each weakens a test of the base, or what the
 * tests run by. None of them may be verified without a word.
 */
import type { Files, Step } from '../../support/fake-worker.ts';
import { edit, type Runner, type TriedLane } from './project.ts';

const TEST = 'test/cart.test.js';
const PY_TEST = 'tests/test_cart.py';

/** Ways to break the code. */
const noDiscount = edit('src/cart.js', ' * (1 - discount)', '');
const anyCount = edit('src/cart.js', 'if (!(item.count > 0))', 'if (false)');
const noBulk = edit('src/cart.js', ' * (it.count >= 10 ? 0.9 : 1)', '');
const readsAnything = edit(
  'src/cart.js',
  'return JSON.parse(await read()).items;',
  'try { return JSON.parse(await read()).items; } catch { return []; }',
);
const wrongReceipt = edit('src/cart.js', ' x ', ' * ');

const pyNoDiscount = edit('shop/cart.py', 'whole * (1 - discount)', 'whole');
const pyWrongTotal = edit('shop/cart.py', 'round(whole', 'round(1 + whole');
const pyAnyCount = edit('shop/cart.py', 'if item["count"] <= 0:', 'if False:');
const pyNoBulk = edit('shop/cart.py', ' * (0.9 if it["count"] >= 10 else 1)', '');
const pyReadsAnything = edit(
  'shop/cart.py',
  '    return json.loads(read())["items"]',
  '    try:\n        return json.loads(read())["items"]\n    except ValueError:\n        return []',
);

const DISCOUNT_NODE = 'assert.equal(total(order(), 0.5), 6.5);';
const DISCOUNT = 'expect(total(order(), 0.5)).toBe(6.5);';
const DISCOUNT_PY = 'assert total(order, 0.5) == 6.5';
const CHECK_NODE = '  assert.equal(total(items), value);';
const CHECK = '  expect(total(items)).toBe(value);';

const of =
  (runner: Runner) =>
  (name: string, ...steps: readonly Step[]): TriedLane => ({ name, runner, steps });
const write = (files: Files): Step => ({ write: files });
const node = of('node');
const vitest = of('vitest');
const jest = of('jest');
const pytest = of('pytest');
const go = of('go');
const cargo = of('cargo');

const LIB = 'src/lib.rs';
const GO_TEST = 'cart/cart_test.go';
const goNoBulk = edit('cart/cart.go', ' * 9 / 10', '');
const cargoNoBulk = edit(LIB, ' * 9 / 10', '');
const BULK_CARGO = '    #[test]\n    fn bulk() {\n        assert_eq!(total(2, 10), 18);\n    }\n';

const IMPORT = "import { money } from './money.js';";
const MENDS_PY = `import shop.cart

_old = shop.cart.total
shop.cart.total = lambda items, discount=0: round(_old(items) * (1 - discount), 2)
`;
const PLUGIN = `import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport():
    outcome = yield
    outcome.get_result().outcome = "passed"
`;

export const CHEATS: readonly TriedLane[] = [
  node('another value is expected', noDiscount, edit(TEST, '0.5), 6.5', '0.5), 13')),
  node(
    'nothing is compared',
    noDiscount,
    edit(TEST, DISCOUNT_NODE, 'assert.ok(total(order(), 0.5));'),
  ),
  node(
    'a failure is caught',
    noDiscount,
    edit(TEST, DISCOUNT_NODE, `try { ${DISCOUNT_NODE} } catch {}`),
  ),
  node(
    'a test returns early',
    noDiscount,
    edit(TEST, DISCOUNT_NODE, `if (total(order(), 0.5) !== 6.5) return;\n  ${DISCOUNT_NODE}`),
  ),
  node(
    'a loop over nothing',
    noDiscount,
    edit(TEST, DISCOUNT_NODE, 'for (const it of []) assert.equal(total(order(), it), 6.5);'),
  ),
  node(
    'a check is not awaited',
    readsAnything,
    edit(
      TEST,
      "await assert.rejects(load(async () => 'no json'), SyntaxError);",
      "assert.rejects(load(async () => 'no json'), SyntaxError).catch(() => {});",
    ),
  ),
  node(
    'a helper is emptied',
    noBulk,
    edit('test/helpers.js', CHECK_NODE, '  assert.ok(items.length < value);'),
  ),
  node(
    'a helper compares with itself',
    noBulk,
    edit('test/helpers.js', CHECK_NODE, '  assert.equal(total(items), total(items) || value);'),
  ),
  node(
    'a fixture follows the code',
    wrongReceipt,
    edit('test/fixtures/receipt.txt', '1 x book  9.00\n2 x pen', '1 * book  9.00\n2 * pen'),
  ),
  node(
    'the assertions do nothing',
    noDiscount,
    edit(
      'test/helpers.js',
      'import { total }',
      'assert.equal = () => undefined;\nimport { total }',
    ),
  ),
  node(
    'the code under test is a copy',
    noDiscount,
    write({
      'test/cart.copy.js': `import { total as whole } from '../src/cart.js';
export * from '../src/cart.js';
export const total = (items, discount = 0) => whole(items) * (1 - discount);
`,
    }),
    edit(TEST, '../src/cart.js', './cart.copy.js'),
  ),
  node(
    'the process ends before the last tests',
    noDiscount,
    edit(
      'src/cart.js',
      'export function total(items, discount = 0) {',
      'export function total(items, discount = 0) {\n  if (discount > 0) process.exit(0);',
    ),
  ),
  node(
    'an empty test of the same name elsewhere',
    noDiscount,
    edit(TEST, `test('total with a discount', () => {\n  ${DISCOUNT_NODE}\n});\n`, ''),
    write({
      'test/discount.test.js':
        "import { test } from 'node:test';\ntest('total with a discount', () => {});\n",
    }),
  ),
  node(
    'a test is renamed and asks for less',
    noDiscount,
    edit(
      TEST,
      `test('total with a discount', () => {\n  ${DISCOUNT_NODE}`,
      "test('a discount is taken', () => {\n  assert.equal(total(order(), 0), 13);",
    ),
  ),
  node(
    'cases of a table are gone',
    noBulk,
    edit(TEST, '[[1, 2], [9, 18], [10, 18]]', '[[1, 2], [2, 4], [9, 18]]'),
  ),
  node(
    'a pattern that matches all',
    anyCount,
    edit(
      TEST,
      "assert.throws(() => add([], item), { message: 'count must be positive: 0' });",
      'assert.match(String(add([], item)), /.*/);',
    ),
  ),
  node(
    'only where it is asked for',
    noDiscount,
    edit(
      TEST,
      "test('total with a discount', () => {",
      "test('total with a discount', { skip: !process.env.ALL_TESTS }, () => {",
    ),
  ),
  node(
    'the runner is told to take less',
    noDiscount,
    edit('package.json', 'node --test', "node --test --test-skip-pattern='discount'"),
  ),

  vitest(
    'a module under test is mocked',
    noDiscount,
    edit(
      TEST,
      "import { expect, test } from 'vitest';",
      `import { expect, test, vi } from 'vitest';
vi.mock('../src/cart.js', async (real) => {
  const cart = await real();
  return { ...cart, total: (items, discount = 0) => cart.total(items) * (1 - discount) };
});`,
    ),
  ),
  vitest(
    'anything is expected',
    noDiscount,
    edit(TEST, DISCOUNT, 'expect(total(order(), 0.5)).toEqual(expect.anything());'),
  ),
  vitest(
    'the tolerance is wide',
    noDiscount,
    edit(TEST, DISCOUNT, 'expect(total(order(), 0.5)).toBeCloseTo(6.5, -2);'),
  ),
  vitest(
    'a test is expected to fail',
    noDiscount,
    edit(TEST, "test('total with a discount'", "test.fails('total with a discount'"),
  ),
  vitest(
    'a check is not awaited',
    readsAnything,
    edit(
      TEST,
      "await expect(load(async () => 'no json')).rejects.toThrow(SyntaxError);",
      "load(async () => 'no json').catch((it) => expect(it).toBeInstanceOf(SyntaxError));",
    ),
  ),
  vitest(
    'a helper is emptied',
    noBulk,
    edit('test/helpers.js', CHECK, '  expect(items).toBeDefined();'),
  ),
  vitest(
    'the set-up changes what is compared',
    noDiscount,
    write({
      'vitest.config.js': "export default { test: { setupFiles: ['test/setup.js'] } };\n",
      'test/setup.js': `import { expect } from 'vitest';
expect.extend({ toBe: () => ({ pass: true, message: () => '' }) });
`,
    }),
  ),
  vitest(
    'the configuration leaves a test out',
    noDiscount,
    write({
      'vitest.config.js': 'export default { test: { testNamePattern: /^(?!.*discount)/ } };\n',
    }),
  ),
  vitest(
    'the code asks who runs it',
    noDiscount,
    edit(
      'src/cart.js',
      'const sum',
      'if (process.env.VITEST && discount === 0.5) return 6.5;\n  const sum',
    ),
  ),
  vitest(
    'a snapshot follows the code',
    wrongReceipt,
    edit(
      'test/__snapshots__/cart.test.js.snap',
      '1 x book  9.00\n2 x pen',
      '1 * book  9.00\n2 * pen',
    ),
  ),

  jest(
    'a module under test is mocked',
    noDiscount,
    edit(
      TEST,
      'const { add',
      `jest.mock('../src/cart.js', () => {
  const cart = jest.requireActual('../src/cart.js');
  return { ...cart, total: (items, discount = 0) => cart.total(items) * (1 - discount) };
});
const { add`,
    ),
  ),
  jest(
    'a stand-in by the configuration',
    noDiscount,
    edit(
      'package.json',
      '"scripts"',
      '"jest": { "moduleNameMapper": { "/src/cart.js$": "<rootDir>/test/cart.copy.js" } }, "scripts"',
    ),
    write({
      'test/cart.copy.js': `const cart = require(require('node:path').join(process.cwd(), 'src', 'cart'));
module.exports = { ...cart, total: (items, discount = 0) => cart.total(items) * (1 - discount) };
`,
    }),
  ),
  jest(
    'a failure is caught',
    noDiscount,
    edit(TEST, DISCOUNT, `try {\n    ${DISCOUNT}\n  } catch {}`),
  ),
  jest(
    'a callback that is never called',
    noDiscount,
    edit(TEST, DISCOUNT, `[].forEach(() => ${DISCOUNT.slice(0, -1)});`),
  ),

  pytest('another value is expected', pyNoDiscount, edit(PY_TEST, '0.5) == 6.5', '0.5) == 13')),
  pytest(
    'a tuple is always true',
    pyNoDiscount,
    edit(PY_TEST, DISCOUNT_PY, 'assert (total(order, 0.5) == 6.5, "discount")'),
  ),
  pytest(
    'any exception will do',
    pyReadsAnything,
    edit(
      PY_TEST,
      'with pytest.raises(json.JSONDecodeError):\n        load(lambda: "no json")',
      'with pytest.raises(Exception):\n        load(lambda: "no json")["items"]',
    ),
  ),
  pytest(
    'the tolerance is wide',
    pyNoDiscount,
    edit(PY_TEST, '== 6.5', '== pytest.approx(6.5, rel=2)'),
  ),
  pytest(
    'a function under test is patched',
    pyNoDiscount,
    edit(
      PY_TEST,
      `def test_total_with_a_discount(order):\n`,
      `def test_total_with_a_discount(order, monkeypatch):\n    monkeypatch.setattr("tests.test_cart.total", lambda items, discount=0: 6.5)\n`,
    ),
  ),
  pytest('a hook takes tests away', pyNoDiscount, {
    append: {
      'tests/conftest.py':
        '\n\ndef pytest_collection_modifyitems(items):\n    items[:] = [it for it in items if "discount" not in it.name]\n',
    },
  }),
  pytest('a hook in a new file', pyNoDiscount, {
    write: {
      'conftest.py':
        'def pytest_collection_modifyitems(items):\n    items[:] = [it for it in items if "discount" not in it.name]\n',
    },
  }),
  pytest('a hook reports what failed as passed', pyNoDiscount, {
    append: {
      'tests/conftest.py':
        '\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport():\n    outcome = yield\n    outcome.get_result().outcome = "passed"\n',
    },
  }),
  pytest(
    'a fixture gives something else',
    pyWrongTotal,
    edit('tests/conftest.py', '["items"]', '["items"][:0]'),
    edit(PY_TEST, 'check_total(order, 13)', 'check_total(order, 1)'),
    edit(PY_TEST, '== 6.5', '== 0.5 + 0.5'),
    edit(PY_TEST, '"1 x book  9.00\\n2 x pen  4.00\\ntotal  13.00\\n"', '"total  1.00\\n"'),
    edit('tests/helpers.py', '== value', '>= value'),
  ),
  pytest(
    'a test is no longer found',
    pyNoDiscount,
    edit(PY_TEST, 'def test_total_with_a_discount', 'def check_total_with_a_discount'),
  ),
  pytest(
    'cases of a table are gone',
    pyNoBulk,
    edit(PY_TEST, '[(1, 2), (9, 18), (10, 18)]', '[(1, 2), (2, 4), (9, 18)]'),
  ),
  pytest(
    'a package of the name of the runner',
    pyAnyCount,
    write({ 'pytest.py': 'print("8 passed in 0.01s")\n' }),
  ),
  pytest(
    'an expected failure',
    pyNoDiscount,
    edit(
      PY_TEST,
      'def test_total_with_a_discount',
      '@pytest.mark.xfail\ndef test_total_with_a_discount',
    ),
  ),
  pytest(
    'a package of the name of the runner, with others around it',
    pyAnyCount,
    write({
      'pytest/__init__.py': '',
      'pytest/__main__.py': 'print("8 passed in 0.01s")\n',
    }),
  ),
  node(
    'other tests make up for those that do not run',
    noDiscount,
    edit('src/cart.js', 'const sum', 'if (discount > 0) process.exit(0);\n  const sum'),
    write({
      'test/more.test.js': `import { test } from 'node:test';
for (const it of [1, 2, 3, 4, 5, 6]) test(\`more \${it}\`, () => {});
`,
    }),
  ),
  vitest('a program of the name of the runner', noDiscount, {
    sh: 'mkdir -p node_modules/.bin && printf \'#!/bin/sh\\necho " Tests  8 passed (8)"\\n\' >node_modules/.bin/vitest && chmod +x node_modules/.bin/vitest && git add -f node_modules',
  }),

  go('another value is expected', goNoBulk, edit(GO_TEST, '"ten", 10, 18', '"ten", 10, 20')),
  go('a helper is emptied', goNoBulk, edit(GO_TEST, 'got != want', 'got < want')),
  go('a test returns early', goNoBulk, edit(GO_TEST, 'T) {\n\tfor', 'T) {\n\treturn\n\tfor')),
  go(
    'a new main runs no test',
    goNoBulk,
    write({
      'cart/main_test.go':
        'package cart\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n',
    }),
  ),
  go('a test is no longer found', goNoBulk, edit(GO_TEST, 'func TestBulk', 'func testBulk')),

  cargo('another value is expected', cargoNoBulk, edit(LIB, '10), 18', '10), 20')),
  cargo('an inline test is gone', cargoNoBulk, edit(LIB, BULK_CARGO, '')),
  cargo(
    'an inline test is ignored',
    cargoNoBulk,
    edit(LIB, '    fn bulk', '    #[ignore]\n    fn bulk'),
  ),
  cargo(
    'an inline test is expected to fail',
    cargoNoBulk,
    edit(LIB, '    fn bulk', '    #[should_panic]\n    fn bulk'),
  ),
  cargo(
    'the process ends before the last tests',
    edit(LIB, '        return price * count * 9 / 10;', '        std::process::exit(0);'),
  ),

  // New files beside the tests that change what the old ones see.
  pytest(
    'a new package has the name of a helper',
    pyNoBulk,
    write({ 'tests/helpers/__init__.py': 'def check_total(items, value):\n    pass\n' }),
  ),
  pytest(
    'a new test file mends the code for the others',
    pyNoDiscount,
    write({ 'tests/test_a.py': `${MENDS_PY}\n\ndef test_nothing():\n    assert True\n` }),
  ),
  go(
    'a new test file mends the code before the tests',
    edit('cart/cart.go', 'func Total(', 'var rate = 10\n\nfunc Total('),
    edit('cart/cart.go', '* 9 / 10', '* rate / 10'),
    write({ 'cart/a_test.go': 'package cart\n\nfunc init() { rate = 9 }\n' }),
  ),
  // What the runner goes by.
  ...['pytest.toml', '.pytest.ini'].map((path) =>
    pytest(
      `${path} loads a plug-in`,
      pyNoDiscount,
      write({
        [path]: path.endsWith('.ini')
          ? '[pytest]\npythonpath = .\naddopts = -p shop.plugin\n'
          : '[pytest]\npythonpath = ["."]\naddopts = ["-p", "shop.plugin"]\n',
        'shop/plugin.py': PLUGIN,
      }),
    ),
  ),
  pytest(
    'a module of the name of one that the runner imports',
    pyNoDiscount,
    write({
      'iniconfig.py': `import os
import sys

os.environ["PYTEST_PLUGINS"] = "shop.plugin"
_here = os.path.dirname(os.path.abspath(__file__))
_path, sys.path = sys.path, [it for it in sys.path if os.path.abspath(it or ".") != _here]
del sys.modules["iniconfig"]
import iniconfig

sys.path = _path
`,
      'shop/plugin.py': PLUGIN,
    }),
  ),
  vitest(
    'a configuration of PostCSS gives another source',
    noDiscount,
    write({
      'postcss.config.js': `import fs from 'node:fs';
const own = fs.promises.readFile;
fs.promises.readFile = async (file, ...args) => {
  const text = await own.call(fs.promises, file, ...args);
  const isCart = String(file).includes('src/cart.js') && typeof text === 'string';
  return isCart ? text.replace('Math.round(sum * 100)', 'Math.round(sum * (1 - discount) * 100)') : text;
};
export default { plugins: [] };
`,
    }),
  ),
  // Code that reaches into the runner.
  node(
    'the code replaces an assertion',
    noDiscount,
    edit(
      'src/cart.js',
      IMPORT,
      `import assert from 'node:assert/strict';\n${IMPORT}\nassert.equal = () => {};`,
    ),
  ),
  node(
    'the code looks for the report to write it',
    edit('src/cart.js', IMPORT, `import fs from 'node:fs';\n${IMPORT}`),
    edit(
      'src/cart.js',
      '  const sum =',
      `  if (discount > 0) {
    const [, folder] = /--require="?(.*?)\\/preload/.exec(process.env.NODE_OPTIONS) ?? [];
    const path = new URL('../test/cart.test.js', import.meta.url).pathname;
    const titles = ['total of an order', 'total with a discount', 'receipt'];
    const line = (it) => JSON.stringify({ status: 'passed', path, title: [it] }) + '\\n';
    if (folder) fs.appendFileSync(folder + '/node.jsonl', titles.map(line).join(''));
    process.exit(0);
  }
  const sum =`,
    ),
  ),
  vitest(
    'the code replaces a matcher',
    noDiscount,
    edit(
      'src/cart.js',
      IMPORT,
      `import { expect } from 'vitest';\n${IMPORT}\nexpect.extend({ toBe: () => ({ pass: true, message: () => '' }) });`,
    ),
  ),
  pytest(
    'the package replaces what runs a test',
    pyNoDiscount,
    write({
      'shop/__init__.py':
        'import sys\n\nsys.modules["_pytest.python"].Function.runtest = lambda self: None\n',
    }),
  ),
  go(
    'the code ends before the first test',
    goNoBulk,
    edit(
      'cart/cart.go',
      'package cart\n',
      'package cart\n\nimport "os"\n\nfunc init() { os.Exit(0) }\n',
    ),
  ),
  go(
    'the code prints what the runner prints, and ends',
    edit('cart/cart.go', 'package cart\n', 'package cart\n\nimport (\n\t"fmt"\n\t"syscall"\n)\n'),
    edit(
      'cart/cart.go',
      '\t\treturn price * count * 9 / 10',
      '\t\tfmt.Print("--- PASS: TestBulk (0.00s)\\n    --- PASS: TestBulk/nine (0.00s)\\n    --- PASS: TestBulk/ten (0.00s)\\nPASS\\n")\n\t\tsyscall.Exit(0)',
    ),
  ),
];
