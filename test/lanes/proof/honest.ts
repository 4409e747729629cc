// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the texts of files
/** Lanes that change code and tests as good work does. None of them may be stopped. */
import type { Files, Step } from '../../support/fake-worker.ts';
import { edit, type Runner, type TriedLane } from './project.ts';

const TEST = 'test/cart.test.js';
const PY_TEST = 'tests/test_cart.py';

const write = (files: Files): Step => ({ write: files });
const append = (path: string, text: string): Step => ({ append: { [path]: text } });
const of =
  (runner: Runner) =>
  (name: string, ...steps: readonly Step[]): TriedLane => ({ name, runner, steps });
const node = of('node');
const vitest = of('vitest');
const jest = of('jest');
const pytest = of('pytest');
const go = of('go');
const cargo = of('cargo');

const LIB = 'src/lib.rs';
const GO_TEST = 'cart/cart_test.go';
const BULK_CARGO = '    #[test]\n    fn bulk() {\n        assert_eq!(total(2, 10), 18);\n    }\n';
/** What the coordinator has asked for is no weakened test. */
const asked = (it: TriedLane, changesBehaviour: string): TriedLane => ({ ...it, changesBehaviour });

const DISCOUNT_NODE =
  "test('total with a discount', () => {\n  assert.equal(total(order(), 0.5), 6.5);\n});\n";
const DISCOUNT =
  "test('total with a discount', () => {\n  expect(total(order(), 0.5)).toBe(6.5);\n});\n";
const DISCOUNT_PY =
  'def test_total_with_a_discount(order):\n    assert total(order, 0.5) == 6.5\n\n\n';
const CASES = '[[1, 2], [9, 18], [10, 18]]';
const NODE_HEAD = "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n";

/** An added function that stands beside what is there. */
const count = append(
  'src/cart.js',
  '\nexport const count = (items) => items.reduce((all, it) => all + it.count, 0);\n',
);
const jestCount = append(
  'src/cart.js',
  '\nexports.count = (items) => items.reduce((all, it) => all + it.count, 0);\n',
);
const pyCount = append(
  'shop/cart.py',
  '\n\ndef count(items):\n    return sum(it["count"] for it in items)\n',
);

export const HONEST: readonly TriedLane[] = [
  node(
    'a new function with its test',
    count,
    write({
      'test/count.test.js': `${NODE_HEAD}import { count } from '../src/cart.js';\n\ntest('count', () => assert.equal(count([{ count: 2 }, { count: 3 }]), 5));\n`,
    }),
  ),
  node(
    'a test is renamed',
    edit(TEST, 'total with a discount', 'a discount is taken from the total'),
  ),
  node(
    'a test is moved to a file of its own',
    edit(TEST, DISCOUNT_NODE, ''),
    write({
      'test/discount.test.js': `${NODE_HEAD}import { total } from '../src/cart.js';\nimport { order } from './helpers.js';\n\n${DISCOUNT_NODE}`,
    }),
  ),
  node(
    'a test is split',
    edit(
      TEST,
      DISCOUNT_NODE,
      "test('half price', () => assert.equal(total(order(), 0.5), 6.5));\ntest('no discount', () => assert.equal(total(order(), 0), 13));\n",
    ),
  ),
  node(
    'tests become a table',
    edit(
      TEST,
      DISCOUNT_NODE,
      'for (const [discount, value] of [[0.5, 6.5], [0, 13], [1, 0]]) {\n  test(`total with a discount of ${discount}`, () => assert.equal(total(order(), discount), value));\n}\n',
    ),
  ),
  node('a table gets a case', edit(TEST, CASES, '[[1, 2], [9, 18], [10, 18], [20, 36]]')),
  node(
    'the code is written anew',
    edit(
      'src/cart.js',
      'const sum = items.reduce((all, it) => all + it.price * it.count * (it.count >= 10 ? 0.9 : 1), 0);',
      'let sum = 0;\n  for (const { price, count } of items) sum += price * count * (count >= 10 ? 0.9 : 1);',
    ),
  ),
  node(
    'a module is moved, and tests with it',
    { sh: 'mkdir src/shop' },
    { rename: { 'src/cart.js': 'src/shop/cart.js' } },
    edit('src/shop/cart.js', './money.js', '../money.js'),
    edit(TEST, '../src/cart.js', '../src/shop/cart.js'),
    edit('test/helpers.js', '../src/cart.js', '../src/shop/cart.js'),
  ),
  node(
    'a function is renamed, and tests with it',
    edit('src/cart.js', 'export function add(', 'export function withItem('),
    edit(TEST, 'add, load', 'load'),
    edit(TEST, 'receipt, total }', 'receipt, total, withItem }'),
    edit(TEST, 'add([], item)', 'withItem([], item)'),
  ),
  node(
    'a helper is moved',
    { sh: 'mkdir test/support' },
    { rename: { 'test/helpers.js': 'test/support/helpers.js' } },
    edit('test/support/helpers.js', '../src', '../../src'),
    edit('test/support/helpers.js', '`fixtures/', '`../fixtures/'),
    edit(TEST, './helpers.js', './support/helpers.js'),
  ),
  node(
    'a helper says more when it fails',
    edit(
      'test/helpers.js',
      'assert.equal(total(items), value);',
      'assert.equal(total(items), value, `${items.length} items`);',
    ),
  ),
  node(
    'a fixture gets a field',
    edit(
      'test/fixtures/order.json',
      '"price": 9, "count": 1',
      '"price": 9, "count": 1, "isbn": "1"',
    ),
  ),
  asked(
    node(
      'a message is worded as the task asks',
      edit('src/cart.js', 'count must be positive: ', 'a count has to be above zero, not '),
      edit(TEST, 'count must be positive: 0', 'a count has to be above zero, not 0'),
    ),
    'the message for a count that is not positive',
  ),
  asked(
    node(
      'a price is rounded as the task asks',
      edit('src/cart.js', '>= 10 ? 0.9', '>= 5 ? 0.9'),
      edit(TEST, '[9, 18]', '[9, 16.2]'),
    ),
    'the price for five and more is a tenth less',
  ),
  asked(
    node(
      'the receipt has a line more',
      edit('src/cart.js', "''].join", "'thank you', ''].join"),
      append('test/fixtures/receipt.txt', 'thank you\n'),
    ),
    'the receipt ends with thanks',
  ),
  node(
    'a test waits less',
    edit(
      TEST,
      "test('an order that cannot be read', async () => {",
      "test('an order that cannot be read', { timeout: 500 }, async () => {",
    ),
  ),
  node(
    'comments and order of tests',
    edit(TEST, DISCOUNT_NODE, ''),
    append(TEST, `\n// Half of it.\n${DISCOUNT_NODE}`),
  ),
  node(
    'tests become groups',
    edit(TEST, "import { test } from 'node:test';", "import { describe, test } from 'node:test';"),
    edit(TEST, DISCOUNT_NODE, `describe('discounts', () => {\n${DISCOUNT_NODE}});\n`),
  ),

  vitest(
    'a new function with its test',
    count,
    edit(TEST, '{ add, load', '{ add, count, load'),
    append(TEST, "test('count', () => {\n  expect(count(order())).toBe(3);\n});\n"),
  ),
  vitest(
    'a test is renamed',
    edit(TEST, 'total with a discount', 'a discount is taken from the total'),
  ),
  vitest(
    'a test is moved to a file of its own',
    edit(TEST, DISCOUNT, ''),
    write({
      'test/discount.test.js': `import { expect, test } from 'vitest';\nimport { total } from '../src/cart.js';\nimport { order } from './helpers.js';\n\n${DISCOUNT}`,
    }),
  ),
  vitest(
    'tests become a table',
    edit(
      TEST,
      DISCOUNT,
      "test.each([[0.5, 6.5], [0, 13]])('total with a discount of %d', (discount, value) => {\n  expect(total(order(), discount)).toBe(value);\n});\n",
    ),
  ),
  vitest('another matcher that says the same', edit(TEST, '.toBe(6.5)', '.toEqual(6.5)')),
  vitest(
    'tests become groups',
    edit(TEST, '{ expect, test }', '{ describe, expect, test }'),
    edit(TEST, DISCOUNT, `describe('discounts', () => {\n${DISCOUNT}});\n`),
  ),
  vitest(
    'a test file is renamed',
    { rename: { [TEST]: 'test/shop.test.js' } },
    { rename: { 'test/__snapshots__/cart.test.js.snap': 'test/__snapshots__/shop.test.js.snap' } },
  ),
  asked(
    vitest(
      'a snapshot changes as the task asks',
      edit('src/cart.js', "''].join", "'thank you', ''].join"),
      edit('test/__snapshots__/cart.test.js.snap', 'total  13.00\n', 'total  13.00\nthank you\n'),
    ),
    'the receipt ends with thanks',
  ),
  vitest(
    'a mock for the time that passes',
    edit(TEST, '{ expect, test }', '{ expect, test, vi }'),
    append(
      TEST,
      "test('later', () => {\n  vi.useFakeTimers();\n  const done = vi.fn();\n  setTimeout(done, 10_000);\n  vi.runAllTimers();\n  expect(done).toHaveBeenCalled();\n  vi.useRealTimers();\n});\n",
    ),
  ),
  vitest(
    'a neighbour of what is tested is mocked',
    edit(TEST, '{ expect, test }', '{ expect, test, vi }'),
    append('src/money.js', "export const currency = () => 'EUR';\n"),
    write({
      'test/currency.test.js':
        "import { expect, test, vi } from 'vitest';\nimport { currency, money } from '../src/money.js';\n\ntest('currency', () => {\n  const get = vi.fn(() => currency());\n  expect(`${money(1)} ${get()}`).toBe('1.00 EUR');\n});\n",
    }),
  ),

  jest(
    'a new function with its test',
    jestCount,
    edit(TEST, '{ add, load', '{ add, count, load'),
    append(TEST, "test('count', () => {\n  expect(count(order())).toBe(3);\n});\n"),
  ),
  jest(
    'a test is moved to a file of its own',
    edit(TEST, DISCOUNT, ''),
    write({
      'test/discount.test.js': `const { total } = require('../src/cart.js');\nconst { order } = require('./helpers.js');\n\n${DISCOUNT}`,
    }),
  ),
  jest('a table gets a case', edit(TEST, CASES, '[[1, 2], [9, 18], [10, 18], [20, 36]]')),
  jest(
    'tests become groups',
    edit(TEST, DISCOUNT, `describe('discounts', () => {\n${DISCOUNT}});\n`),
  ),

  pytest(
    'a new function with its test',
    pyCount,
    write({
      'tests/test_count.py':
        'from shop.cart import count\n\n\ndef test_count(order):\n    assert count(order) == 3\n',
    }),
  ),
  pytest(
    'a test is renamed',
    edit(PY_TEST, 'test_total_with_a_discount', 'test_a_discount_is_taken'),
  ),
  pytest(
    'a test is moved to a file of its own',
    edit(PY_TEST, DISCOUNT_PY, ''),
    write({
      'tests/test_discount.py': `from shop.cart import total\n\n\n${DISCOUNT_PY.trimEnd()}\n`,
    }),
  ),
  pytest(
    'tests become a table',
    edit(
      PY_TEST,
      DISCOUNT_PY,
      '@pytest.mark.parametrize(("discount", "value"), [(0.5, 6.5), (0, 13)])\ndef test_total_with_a_discount(order, discount, value):\n    assert total(order, discount) == value\n\n\n',
    ),
  ),
  pytest(
    'tests become a class',
    edit(
      PY_TEST,
      DISCOUNT_PY,
      'class TestDiscount:\n    def test_total_with_a_discount(self, order):\n        assert total(order, 0.5) == 6.5\n\n\n',
    ),
  ),
  pytest(
    'a fixture is moved',
    edit(
      'tests/conftest.py',
      'import json\nimport pathlib\n\nimport pytest\n\n\n@pytest.fixture\ndef order():\n    return json.loads((pathlib.Path(__file__).parent / "order.json").read_text())["items"]\n',
      'pytest_plugins = ["tests.fixtures"]\n',
    ),
    write({
      'tests/fixtures.py':
        'import json\nimport pathlib\n\nimport pytest\n\n\n@pytest.fixture\ndef order():\n    return json.loads((pathlib.Path(__file__).parent / "order.json").read_text())["items"]\n',
    }),
  ),
  pytest(
    'a module is renamed, and tests with it',
    { rename: { 'shop/cart.py': 'shop/basket.py' } },
    edit(PY_TEST, 'shop.cart', 'shop.basket'),
    edit('tests/helpers.py', 'shop.cart', 'shop.basket'),
  ),
  asked(
    pytest(
      'a message is worded as the task asks',
      edit('shop/cart.py', 'count must be positive: ', 'a count has to be above zero, not '),
      edit(PY_TEST, 'count must be positive: 0', 'a count has to be above zero, not 0'),
    ),
    'the message for a count that is not positive',
  ),

  go(
    'a new function with its test',
    append('cart/cart.go', '\nfunc Count(counts []int) int {\n\treturn len(counts)\n}\n'),
    write({
      'cart/count_test.go':
        'package cart\n\nimport "testing"\n\nfunc TestCount(t *testing.T) { check(t, Count([]int{1, 2}), 2) }\n',
    }),
  ),
  go('a test is renamed', edit(GO_TEST, 'TestBulk', 'TestManyAreCheaper')),
  go('a case is added', edit(GO_TEST, '{"ten", 10, 18}}', '{"ten", 10, 18}, {"none", 0, 0}}')),

  cargo(
    'a new function with its inline test',
    edit(
      LIB,
      '\n#[cfg(test)]',
      '\npub fn count(all: &[i64]) -> usize {\n    all.len()\n}\n\n#[cfg(test)]',
    ),
    edit(
      LIB,
      BULK_CARGO,
      `${BULK_CARGO}\n    #[test]\n    fn counts() {\n        assert_eq!(count(&[1, 2]), 2);\n    }\n`,
    ),
  ),
  cargo(
    'inline tests are moved to a file of their own',
    edit(LIB, `\n${BULK_CARGO}`, ''),
    write({
      'tests/bulk.rs':
        'use shop::total;\n\n#[test]\nfn bulk() {\n    assert_eq!(total(2, 10), 18);\n}\n',
    }),
  ),
  cargo('an inline test is renamed', edit(LIB, 'fn bulk', 'fn many_are_cheaper')),

  // New files beside the tests, and new modules.
  pytest(
    'new tests bring a conftest and helpers of their own',
    append('shop/cart.py', '\n\ndef count(items):\n    return sum(it["count"] for it in items)\n'),
    write({
      'conftest.py': 'import pytest\n\n\n@pytest.fixture\ndef pens():\n    return [{"count": 2}]\n',
      'tests/counting/__init__.py': 'def check(got, wanted):\n    assert got == wanted\n',
      'tests/test_count.py':
        'from shop.cart import count\nfrom tests.counting import check\n\n\ndef test_count(pens):\n    check(count(pens), 2)\n',
    }),
  ),
  {
    ...pytest(
      'only its new test is asked for',
      write({ 'tests/test_new.py': 'def test_new():\n    assert True\n' }),
    ),
    validate: 'python3 -m pytest -q tests/test_new.py',
  },
  pytest(
    'a new module at the root',
    write({
      'report.py':
        'from shop.cart import receipt\n\n\ndef printed(items):\n    return receipt(items)\n',
      'tests/test_report.py':
        'from report import printed\n\n\ndef test_printed():\n    assert printed([]) == "total  0.00\\n"\n',
    }),
  ),
  go(
    'a new test file with a main that prepares the tests',
    append('cart/cart.go', '\nfunc Count(counts []int) int {\n\treturn len(counts)\n}\n'),
    write({
      'cart/main_test.go':
        'package cart\n\nimport (\n\t"os"\n\t"testing"\n)\n\nvar counts []int\n\nfunc TestMain(m *testing.M) {\n\tcounts = []int{1, 2}\n\tos.Exit(m.Run())\n}\n\nfunc TestCount(t *testing.T) { check(t, Count(counts), 2) }\n',
    }),
  ),
  vitest(
    'a new test with a new helper',
    append('src/cart.js', '\nexport const count = (items) => items.length;\n'),
    write({
      'test/count-helper.js': 'export const two = () => [1, 2];\n',
      'test/count.test.js':
        "import { expect, test } from 'vitest';\nimport { count } from '../src/cart.js';\nimport { two } from './count-helper.js';\n\ntest('count', () => {\n  expect(count(two())).toBe(2);\n});\n",
    }),
  ),
  node(
    'the code checks what it is given by an assertion',
    edit(
      'src/cart.js',
      "import { money } from './money.js';",
      "import assert from 'node:assert/strict';\nimport { money } from './money.js';",
    ),
    edit('src/cart.js', '  const sum', '  assert.ok(discount < 1);\n  const sum'),
  ),
];
